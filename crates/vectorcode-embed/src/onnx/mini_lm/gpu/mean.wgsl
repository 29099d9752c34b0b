// The mean of each sequence's tokens.

const PARTS = 96u; // of four columns each

@group(0) @binding(0) var<storage, read> sequences: array<vec2<u32>>; // first token and length
@group(0) @binding(1) var<storage, read> hidden: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> means: array<vec4<f32>>;

@compute @workgroup_size(PARTS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) part: u32) {
    let sequence = sequences[group.x];
    var sum = vec4<f32>();
    for (var token = sequence.x; token < sequence.x + sequence.y; token++) {
        sum += hidden[token * PARTS + part];
    }
    means[group.x * PARTS + part] = sum / f32(sequence.y);
}
