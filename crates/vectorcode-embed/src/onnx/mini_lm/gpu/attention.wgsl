// Every token looks at all tokens of its own sequence, in twelve heads. A workgroup has one head of 64 tokens of a sequence, a
// thread one of these tokens. Keys and values come in tiles; the softmax is kept up as they come. The 32 columns of a head are two
// matrices, because those stay in registers (`linear.wgsl`).

const WIDTH = 96u; // vectors of four columns; a token has queries, keys and values side by side
const HEAD = 8u;
const THREADS = 64u;
const TILE = 32u;

@group(0) @binding(0) var<storage, read> blocks: array<vec4<u32>>; // the sequence's first token, its length, the first own token
@group(0) @binding(1) var<storage, read> projected: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> context: array<vec4<f32>>;

var<workgroup> keys: array<vec4<f32>, TILE * HEAD>;
var<workgroup> values: array<vec4<f32>, TILE * HEAD>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let block = blocks[group.x];
    let head = group.y * HEAD;
    let own = block.z + thread;
    let own_token = block.x + min(own, block.y - 1u);
    let from_own = own_token * 3u * WIDTH + head;
    let query_low = four_of_projected(from_own);
    let query_high = four_of_projected(from_own + 4u);
    var sums_low = mat4x4<f32>();
    var sums_high = mat4x4<f32>();
    var highest = -1e30;
    var total = 0.0;

    for (var first = 0u; first < block.y; first += TILE) {
        let count = min(TILE, block.y - first);
        workgroupBarrier();
        for (var at = thread; at < count * HEAD; at += THREADS) {
            let from_token = (block.x + first + at / HEAD) * 3u * WIDTH + head + at % HEAD;
            keys[at] = projected[from_token + WIDTH];
            values[at] = projected[from_token + 2u * WIDTH];
        }
        workgroupBarrier();
        for (var key = 0u; key < count; key++) {
            let at = key * HEAD;
            let score = dot(query_low[0], keys[at]) + dot(query_low[1], keys[at + 1u])
                + dot(query_low[2], keys[at + 2u]) + dot(query_low[3], keys[at + 3u])
                + dot(query_high[0], keys[at + 4u]) + dot(query_high[1], keys[at + 5u])
                + dot(query_high[2], keys[at + 6u]) + dot(query_high[3], keys[at + 7u]);
            if score > highest {
                let shrink = exp(highest - score);
                highest = score;
                total *= shrink;
                sums_low *= shrink;
                sums_high *= shrink;
            }
            let weight = exp(score - highest);
            total += weight;
            sums_low += weight * mat4x4<f32>(values[at], values[at + 1u], values[at + 2u], values[at + 3u]);
            sums_high += weight * mat4x4<f32>(values[at + 4u], values[at + 5u], values[at + 6u], values[at + 7u]);
        }
    }

    if own < block.y {
        write(own_token * WIDTH + head, sums_low * (1.0 / total));
        write(own_token * WIDTH + head + 4u, sums_high * (1.0 / total));
    }
}

fn four_of_projected(at: u32) -> mat4x4<f32> {
    return mat4x4<f32>(projected[at], projected[at + 1u], projected[at + 2u], projected[at + 3u]);
}

fn write(at: u32, parts: mat4x4<f32>) {
    context[at] = parts[0];
    context[at + 1u] = parts[1];
    context[at + 2u] = parts[2];
    context[at + 3u] = parts[3];
}
