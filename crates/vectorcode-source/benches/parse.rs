//! How many megabytes of source a second become chunks and symbols.

fn main() {
    divan::main();
}
