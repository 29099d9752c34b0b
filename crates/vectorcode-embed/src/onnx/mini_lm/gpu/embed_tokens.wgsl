// The row of each token's word, and what its place adds to it.

const PARTS = 96u; // of four columns each

@group(0) @binding(0) var<storage, read> tokens: array<vec2<u32>>; // word and place
@group(0) @binding(1) var<storage, read> words: array<u32>; // four bytes each
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> hidden: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> update: array<vec4<f32>>;

override SCALE: f32;
override ZERO: f32;

@compute @workgroup_size(PARTS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) part: u32) {
    let token = tokens[group.x];
    let bytes = unpack4xU8(words[token.x * PARTS + part]);
    hidden[group.x * PARTS + part] = (vec4<f32>(bytes) - ZERO) * SCALE;
    update[group.x * PARTS + part] = positions[token.y * PARTS + part];
}
