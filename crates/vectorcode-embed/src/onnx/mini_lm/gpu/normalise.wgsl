// A layer normalisation of each token, after `update` was added to it.

const PARTS = 96u; // of four columns each
const THREADS = 32u;
const EPSILON = 1e-12;

@group(0) @binding(0) var<storage, read> gain: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> bias: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> hidden: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> update: array<vec4<f32>>;

var<workgroup> sums: array<f32, THREADS>;

fn sum_of_all(thread: u32, value: vec4<f32>) -> f32 {
    workgroupBarrier();
    sums[thread] = dot(value, vec4<f32>(1.0));
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if thread < half {
            sums[thread] += sums[thread + half];
        }
    }
    workgroupBarrier();
    return sums[0];
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let at = group.x * PARTS + thread;
    let a = hidden[at] + update[at];
    let b = hidden[at + THREADS] + update[at + THREADS];
    let c = hidden[at + 2u * THREADS] + update[at + 2u * THREADS];
    let mean = sum_of_all(thread, a + b + c) / f32(4u * PARTS);
    let squares = (a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean);
    let factor = inverseSqrt(sum_of_all(thread, squares) / f32(4u * PARTS) + EPSILON);
    write(at, thread, (a - mean) * factor);
    write(at + THREADS, thread + THREADS, (b - mean) * factor);
    write(at + 2u * THREADS, thread + 2u * THREADS, (c - mean) * factor);
}

fn write(at: u32, part: u32, value: vec4<f32>) {
    hidden[at] = value * gain[part] + bias[part];
}
