// A dense layer: `input` times `weights`, plus `bias`.
//
// A workgroup writes a tile of 128 tokens by 128 columns, a thread 8 tokens by 8 columns of it: four matrices, whose columns are
// tokens. Arrays in their place would be indexed by a loop's variable, which keeps them out of the registers: seven times as slow.
// The last tile may reach beyond the tokens of a run: the buffers are large enough, and nobody reads those rows.

const TILE = 128u;
const DEPTH = 16u; // inputs whose tiles are in workgroup memory at a time

override INPUTS: u32;
override OUTPUTS: u32;
override GELU: bool;

@group(0) @binding(0) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> bias: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> input: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> output: array<vec4<f32>>;

// Four inputs of a token, and four outputs of an input.
var<workgroup> left: array<vec4<f32>, TILE * DEPTH / 4u>;
var<workgroup> right: array<vec4<f32>, DEPTH * TILE / 4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first_token = group.y * TILE;
    let first_part = group.x * TILE / 4u;
    let own_token = thread / 16u * 8u;
    let own_part = thread % 16u;
    var upper_low = mat4x4<f32>();
    var upper_high = mat4x4<f32>();
    var lower_low = mat4x4<f32>();
    var lower_high = mat4x4<f32>();

    for (var depth = 0u; depth < INPUTS; depth += DEPTH) {
        for (var at = thread; at < TILE * DEPTH / 4u; at += 256u) {
            left[at] = input[((first_token + at / 4u) * INPUTS + depth) / 4u + at % 4u];
            right[at] = weights[(depth + at / 32u) * (OUTPUTS / 4u) + first_part + at % 32u];
        }
        workgroupBarrier();
        for (var four = 0u; four < DEPTH / 4u; four++) {
            let upper = tokens_of(own_token * 4u + four);
            let lower = tokens_of((own_token + 4u) * 4u + four);
            let low = weights_of(four * 128u + own_part);
            let high = weights_of(four * 128u + own_part + 16u);
            upper_low += low * upper;
            upper_high += high * upper;
            lower_low += low * lower;
            lower_high += high * lower;
        }
        workgroupBarrier();
    }
    write(first_token + own_token, first_part + own_part, upper_low);
    write(first_token + own_token, first_part + own_part + 16u, upper_high);
    write(first_token + own_token + 4u, first_part + own_part, lower_low);
    write(first_token + own_token + 4u, first_part + own_part + 16u, lower_high);
}

fn tokens_of(at: u32) -> mat4x4<f32> {
    return mat4x4<f32>(left[at], left[at + 4u], left[at + 8u], left[at + 12u]);
}

fn weights_of(at: u32) -> mat4x4<f32> {
    return mat4x4<f32>(right[at], right[at + 32u], right[at + 64u], right[at + 96u]);
}

fn write(token: u32, part: u32, sums: mat4x4<f32>) {
    let at = token * (OUTPUTS / 4u) + part;
    output[at] = activated(sums[0] + bias[part]);
    output[at + OUTPUTS / 4u] = activated(sums[1] + bias[part]);
    output[at + OUTPUTS / 2u] = activated(sums[2] + bias[part]);
    output[at + 3u * OUTPUTS / 4u] = activated(sums[3] + bias[part]);
}

fn activated(value: vec4<f32>) -> vec4<f32> {
    if GELU {
        return gelu(value);
    }
    return value;
}

fn gelu(value: vec4<f32>) -> vec4<f32> {
    return 0.5 * value * (1.0 + erf(value * 0.70710678));
}

/// Abramowitz and Stegun 7.1.26: wrong by 1.5e-7 at most.
fn erf(value: vec4<f32>) -> vec4<f32> {
    let size = abs(value);
    let t = 1.0 / (1.0 + 0.3275911 * size);
    let series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    return sign(value) * (1.0 - series * exp(-size * size));
}
