//! Memory for syntax trees: cut from large chunks while a text is parsed and read, given back all at once.
//!
//! The tree of a file is a hundred thousand small blocks. Taking and freeing each through the C library was a tenth of the
//! processor time of an index, and walking trees only to free them a part of the rest.
//!
//! [`scope`] makes an arena current on its thread; tree-sitter takes its memory there. What it frees is used again for the
//! next block of that size. At the end of the scope everything goes, freed or not. An empty arena is kept for the next scope, of
//! whichever thread: a server has many threads that parse now and then, and few that do so at once.
//!
//! Measured against other allocators on 11.5 MB of C++ (`VECTORCODE_BENCH_TREE=abseil cargo bench -p vectorcode-source`, one
//! thread, processor seconds of the whole bench, two runs): the arena 18.1 and 17.4; glibc 19.2 and 19.1; `mimalloc` 17.6 and
//! 15.6, both without ever freeing a tree, which favours them. The arena stays: it alone gives memory back at once and can
//! refuse a block. `mimalloc` for the Rust side beside the arena took 15.9.
//!
//! A parse has a limit of bytes and of time. Both are enforced here, because tree-sitter asks whether to go on only between
//! its steps, and one step can take all memory: 4 kB of `[,a [,a ` as Python took 346 MB and two seconds in the last one, and
//! both grow with the square of the text. What happens beyond a limit is up to [`Limits`]: a parser process ends. A process
//! that has set none, such as a test of a library, has no limits but the time between steps.
//!
//! Few files need much. Beyond [`OWN_BYTES`] a parse waits for its turn ([`Limits::wait_for_turn`]), so that all of them together
//! stay within a budget, whatever their number. Waiting, rather than giving up, keeps the index the same on any machine.
#![expect(unsafe_code, reason = "an allocator is made of pointers; they do not leave this file")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::{LazyLock, Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::processor_time::processor_time;

/// What C promises of memory for any type.
const ALIGN: usize = 16;
/// A block, as the words that it consists of.
type Block = *mut usize;

/// The class of a block stands in front of it.
const HEADER: usize = size_of::<usize>();
/// Blocks of up to this size come in every multiple of [`ALIGN`], larger ones in powers of two.
const FINE: usize = 1024;
const FINE_CLASSES: usize = FINE / ALIGN;
const CLASSES: usize = FINE_CLASSES + 32;
/// The least that is taken at once.
const CHUNK_BYTES: usize = 1 << 20;
/// As much stays with an arena for its next text.
const KEPT_BYTES: usize = 4 << 20;

/// What a parse may take. Of the sources at hand, the largest allowed (1 MB) take 6 to 45 MB, and 120 MB where every
/// line is a handful of tiny tokens.
const PARSE_BYTES: usize = 128 << 20;
/// What a parse may take without waiting for its turn.
const OWN_BYTES: usize = 8 << 20;
/// Blocks of more than [`FINE`] bytes between two looks at the clock. Whatever takes long copies such blocks.
const LARGE_BLOCKS_PER_LOOK: u32 = 64;

thread_local! {
    static CURRENT: Cell<*mut Arena> = const { Cell::new(ptr::null_mut()) };
}

/// Runs `work` with memory for what tree-sitter makes in it. A scope inside of another is part of that one.
///
/// # Safety
///
/// All parsers, trees and cursors that `work` makes must end with it, or be forgotten, and must stay on this thread.
pub(crate) unsafe fn scope<T>(work: impl FnOnce() -> T) -> T {
    install();
    let _open = CURRENT.get().is_null().then(Open::new);
    work()
}

/// What ends or holds up a parse that takes too much.
pub(crate) trait Limits: Sync {
    fn out_of_time(&self) -> !;
    fn out_of_memory(&self) -> !;
    /// The system has no memory left.
    fn no_memory(&self) -> !;
    /// Returns when this parse may take more than [`OWN_BYTES`]. It may until the end of its request.
    fn wait_for_turn(&self);
}

static LIMITS: OnceLock<&'static dyn Limits> = OnceLock::new();

/// From now on parses of this process have limits.
pub(crate) fn set_limits(limits: &'static dyn Limits) {
    let _ = LIMITS.set(limits);
}

/// Sets the time, in [`processor_time`], at which the current scope must have its tree.
pub(crate) fn set_deadline(deadline: Option<Duration>) {
    // SAFETY: what is current is a live arena of this thread, and no other reference to it is in use now.
    if let Some(arena) = unsafe { CURRENT.get().as_mut() } {
        arena.deadline = deadline;
    }
}

/// Makes tree-sitter take its memory here, from its first block on.
fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let allocator = tree_sitter::Allocator {
            malloc: take_block,
            calloc: take_zeros,
            realloc: resize_block,
            free: free_block,
        };
        // SAFETY: the four belong together, and no memory was taken before: tree-sitter works inside of scopes only.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    });
}

/// The outermost scope of a thread.
struct Open {
    arena: *mut Arena,
}

impl Open {
    fn new() -> Self {
        let arena = Box::into_raw(ARENAS.take());
        CURRENT.set(arena);
        Self { arena }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        CURRENT.set(ptr::null_mut());
        // SAFETY: it was made of a box in `new`, and nobody else knows it now that it is no longer current.
        let mut arena = unsafe { Box::from_raw(self.arena) };
        arena.empty();
        ARENAS.keep(arena);
    }
}

/// As many as can be in use at once without waiting for a core.
static ARENAS: LazyLock<Pool> =
    LazyLock::new(|| Pool::new(std::thread::available_parallelism().map_or(1, usize::from)));

/// Drops the arenas that were not used for so long.
pub(crate) fn release_unused(since: Duration) {
    ARENAS.release_unused(since);
}

/// Empty arenas, that used last at the end.
struct Pool {
    arenas: Mutex<Vec<Kept>>,
    most: usize,
}

struct Kept {
    arena: Box<Arena>,
    used: Instant,
}

// SAFETY: an empty arena owns its chunks, and nothing of it is known to the thread that used it.
unsafe impl Send for Kept {}

impl Pool {
    fn new(most: usize) -> Self {
        Self { arenas: Mutex::default(), most }
    }

    fn take(&self) -> Box<Arena> {
        let kept = self.arenas.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map(|kept| kept.arena).unwrap_or_default()
    }

    fn keep(&self, arena: Box<Arena>) {
        let mut arenas = self.arenas.lock().unwrap_or_else(PoisonError::into_inner);
        if arenas.len() < self.most {
            arenas.push(Kept { arena, used: Instant::now() });
        }
    }

    fn release_unused(&self, since: Duration) {
        let mut arenas = self.arenas.lock().unwrap_or_else(PoisonError::into_inner);
        arenas.retain(|kept| kept.used.elapsed() < since);
    }
}

struct Arena {
    chunks: Vec<Chunk>,
    /// The part of the last chunk that no block was cut from yet.
    rest: Block,
    rest_bytes: usize,
    /// Freed blocks by class; each holds the address of the next.
    freed: [Block; CLASSES],
    /// Of all chunks.
    bytes: usize,
    /// Of the parse that is going on. What reads a tree has none: it takes no more than the tree did.
    deadline: Option<Duration>,
    large_blocks: u32,
    has_turn: bool,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            rest: ptr::null_mut(),
            rest_bytes: 0,
            freed: [ptr::null_mut(); CLASSES],
            bytes: 0,
            deadline: None,
            large_blocks: 0,
            has_turn: false,
        }
    }
}

impl Arena {
    #[inline]
    fn take(&mut self, size: usize) -> Block {
        let class = class_of(size);
        if class >= FINE_CLASSES {
            self.count_large_block();
        }
        let freed = self.freed[class];
        if freed.is_null() {
            return self.cut(class);
        }
        // SAFETY: `give_back` wrote the next one's address into this block, which has room for it.
        self.freed[class] = unsafe { freed.cast::<Block>().read() };
        freed
    }

    /// A block that was never used before.
    #[inline]
    fn cut(&mut self, class: usize) -> Block {
        let bytes = class_bytes(class);
        if self.rest_bytes < bytes {
            self.add_chunk(bytes);
        }
        // SAFETY: the rest lies in the last chunk, which lives as long as the arena, and has room for the block. It begins
        // `HEADER` before a multiple of `ALIGN`, and so does what is left of it, for blocks are multiples of `ALIGN`.
        unsafe {
            let block = self.rest.byte_add(HEADER);
            self.rest.write(class);
            self.rest = self.rest.byte_add(bytes);
            self.rest_bytes -= bytes;
            block
        }
    }

    /// # Safety
    /// `block` is one of this arena, and in use.
    #[inline]
    unsafe fn give_back(&mut self, block: Block) {
        // SAFETY: every block has its class in front and room for an address.
        unsafe {
            let class = class_in_front(block);
            block.cast::<Block>().write(self.freed[class]);
            self.freed[class] = block;
        }
    }

    #[cold]
    fn add_chunk(&mut self, least: usize) {
        let bytes = (least + ALIGN).max(CHUNK_BYTES);
        if let Some(limits) = LIMITS.get() {
            self.keep_within(*limits, bytes);
        }
        self.chunks.push(Chunk::new(bytes));
        self.bytes += bytes;
        self.rewind();
    }

    fn keep_within(&mut self, limits: &dyn Limits, more_bytes: usize) {
        if self.is_late() {
            limits.out_of_time();
        }
        if self.deadline.is_some() && self.bytes + more_bytes > PARSE_BYTES {
            limits.out_of_memory();
        }
        if self.bytes + more_bytes > OWN_BYTES && !self.has_turn {
            limits.wait_for_turn();
            self.has_turn = true;
        }
    }

    #[cold]
    fn count_large_block(&mut self) {
        self.large_blocks = self.large_blocks.wrapping_add(1);
        if self.large_blocks.is_multiple_of(LARGE_BLOCKS_PER_LOOK)
            && self.is_late()
            && let Some(limits) = LIMITS.get()
        {
            limits.out_of_time();
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| processor_time() > deadline)
    }

    /// Makes the whole of the last chunk free.
    fn rewind(&mut self) {
        if let Some(chunk) = self.chunks.last() {
            // SAFETY: a chunk is larger than `ALIGN`.
            self.rest = unsafe { chunk.start.as_ptr().byte_add(ALIGN - HEADER) };
            self.rest_bytes = chunk.layout.size() - ALIGN;
        }
    }

    /// Forgets all blocks. A chunk as large as what was needed stays, unless that was a lot.
    fn empty(&mut self) {
        if self.chunks.len() > 1 || self.bytes > KEPT_BYTES {
            self.chunks.clear();
            self.bytes = self.bytes.min(KEPT_BYTES);
            self.chunks.push(Chunk::new(self.bytes));
        }
        self.deadline = None;
        self.has_turn = false;
        self.freed = [ptr::null_mut(); CLASSES];
        self.rewind();
    }
}

/// Where blocks are cut from.
struct Chunk {
    start: NonNull<usize>,
    layout: Layout,
}

impl Chunk {
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, ALIGN).expect("a tree is smaller than the address space");
        // SAFETY: never of size zero.
        let start = NonNull::new(unsafe { alloc(layout) }).map(NonNull::cast);
        let Some(start) = start else {
            if let Some(limits) = LIMITS.get() {
                limits.no_memory();
            }
            handle_alloc_error(layout);
        };
        Self { start, layout }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: taken in `new` with the same layout.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) }
    }
}

#[inline]
fn class_of(size: usize) -> usize {
    let bytes = size + HEADER;
    if bytes <= FINE {
        (bytes - 1) / ALIGN
    } else {
        FINE_CLASSES + (bytes.next_power_of_two().ilog2() - FINE.ilog2()) as usize - 1
    }
}

/// What a block of a class takes, its header included.
#[inline]
fn class_bytes(class: usize) -> usize {
    if class < FINE_CLASSES { (class + 1) * ALIGN } else { FINE << (class - FINE_CLASSES + 1) }
}

/// # Safety
/// `block` is one of an arena.
unsafe fn class_in_front(block: Block) -> usize {
    // SAFETY: `cut` wrote it there.
    unsafe { block.byte_sub(HEADER).read() }
}

/// # Safety
/// The reference must be gone before the next call.
unsafe fn current<'a>() -> &'a mut Arena {
    // SAFETY: what is current is a live arena, which only its own thread uses, in one of the functions below at a time.
    unsafe { CURRENT.get().as_mut() }.expect("tree-sitter works inside of a scope")
}

unsafe extern "C" fn take_block(size: usize) -> *mut c_void {
    // SAFETY: no two references at a time.
    unsafe { current() }.take(size).cast()
}

unsafe extern "C" fn take_zeros(count: usize, size: usize) -> *mut c_void {
    let bytes = count.checked_mul(size).expect("tree-sitter asks for sizes that exist");
    // SAFETY: no two references at a time; the block has so many bytes.
    unsafe {
        let block = current().take(bytes);
        block.cast::<u8>().write_bytes(0, bytes);
        block.cast()
    }
}

unsafe extern "C" fn resize_block(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(old) = NonNull::new(block.cast::<usize>()) else {
        // SAFETY: as for any other.
        return unsafe { take_block(size) };
    };
    // SAFETY: tree-sitter resizes only what it took here; blocks do not overlap, and both have as many bytes as are copied.
    unsafe {
        let old_bytes = class_bytes(class_in_front(old.as_ptr())) - HEADER;
        if size <= old_bytes {
            return block;
        }
        let arena = current();
        let new = arena.take(size);
        ptr::copy_nonoverlapping(old.as_ptr().cast::<u8>(), new.cast::<u8>(), old_bytes);
        arena.give_back(old.as_ptr());
        new.cast()
    }
}

unsafe extern "C" fn free_block(block: *mut c_void) {
    if !block.is_null() {
        // SAFETY: tree-sitter frees only what it took here, once.
        unsafe { current().give_back(block.cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of `size` bytes, filled with `mark`.
    fn take(size: usize, mark: u8) -> *mut u8 {
        // SAFETY: inside of a scope; the block has so many bytes.
        unsafe {
            let block = take_block(size).cast::<u8>();
            block.write_bytes(mark, size);
            block
        }
    }

    fn holds(block: *const u8, size: usize, mark: u8) -> bool {
        // SAFETY: a block of the arena that is open, of at least so many bytes, all written.
        unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|byte| *byte == mark)
    }

    fn in_scope<T>(work: impl FnOnce() -> T) -> T {
        // SAFETY: the tests make nothing of tree-sitter's, and leave their blocks behind.
        unsafe { scope(work) }
    }

    /// How much the arena keeps for its next scope, after one that took so many blocks of so many bytes.
    fn kept_after(arena: &mut Arena, blocks: usize, bytes: usize) -> usize {
        for _ in 0..blocks {
            arena.take(bytes);
        }
        arena.empty();
        arena.chunks.iter().map(|chunk| chunk.layout.size()).sum()
    }

    #[test]
    fn blocks_of_every_size_are_apart_and_aligned() {
        in_scope(|| {
            let sizes = (0..300).chain([1015, 1016, 1017, 4000, 70_000, 3 << 20]);
            let blocks: Vec<_> =
                sizes.zip((0..=250).cycle()).map(|(size, mark)| (take(size, mark), size, mark)).collect();
            for (block, size, mark) in blocks {
                assert_eq!(block as usize % ALIGN, 0);
                assert!(holds(block, size, mark), "{size}");
            }
        });
    }

    #[test]
    fn a_class_has_room_for_its_sizes_and_no_more_than_twice_that() {
        for size in (0..5000).chain([1 << 20, (1 << 20) + 1, 1 << 30]) {
            let bytes = class_bytes(class_of(size));
            assert!(bytes >= size + HEADER && bytes.is_multiple_of(ALIGN), "{size}");
            assert!(bytes <= (size + HEADER) * 2 + ALIGN, "{size}");
            assert!(class_of(size) < CLASSES);
        }
    }

    #[test]
    fn what_is_freed_is_used_again() {
        in_scope(|| {
            let first = take(40, 1);
            // SAFETY: a block in use.
            unsafe { free_block(first.cast()) };
            assert_eq!(take(33, 2), first, "of the same class");
            assert_ne!(take(33, 3), first);
        });
    }

    #[test]
    fn a_block_keeps_its_content_as_it_grows() {
        in_scope(|| {
            let mut block = take(10, 7);
            for size in [11, 100, 1000, 100_000] {
                // SAFETY: a block in use; the old one is not looked at again.
                block = unsafe { resize_block(block.cast(), size) }.cast();
                assert!(holds(block, 10, 7), "{size}");
            }
            // SAFETY: C allows both.
            unsafe {
                assert!(!resize_block(ptr::null_mut(), 5).is_null());
                free_block(ptr::null_mut());
            }
        });
    }

    #[test]
    fn zeros_are_zeros_in_used_memory_too() {
        in_scope(|| {
            let used = take(64, 9);
            // SAFETY: a block in use.
            let zeros = unsafe {
                free_block(used.cast());
                take_zeros(8, 8).cast::<u8>()
            };
            assert_eq!(zeros, used);
            assert!(holds(zeros, 64, 0));
        });
    }

    #[test]
    fn a_scope_inside_another_leaves_the_memory_of_that_alone() {
        in_scope(|| {
            let outer = take(64, 1);
            in_scope(|| take(64, 2));
            assert_ne!(take(64, 3), outer);
            assert!(holds(outer, 64, 1));
        });
    }

    #[test]
    fn an_arena_keeps_little() {
        let mut arena = Arena::default();
        assert_eq!(kept_after(&mut arena, 1, 100), CHUNK_BYTES);
        let needed = kept_after(&mut arena, 3000, 1000);
        assert!((CHUNK_BYTES + 1..=KEPT_BYTES).contains(&needed), "what the last needed");
        assert_eq!(kept_after(&mut arena, 1, KEPT_BYTES * 4), KEPT_BYTES);
    }

    #[test]
    fn few_arenas_are_kept_and_unused_ones_go() {
        let pool = Pool::new(2);
        let kept = || pool.arenas.lock().unwrap().len();
        let used: Vec<_> = (0..3).map(|_| pool.take()).collect();
        for arena in used {
            pool.keep(arena);
        }
        assert_eq!(kept(), 2);
        pool.release_unused(Duration::from_mins(1));
        assert_eq!(kept(), 2);
        drop(pool.take());
        assert_eq!(kept(), 1);
        pool.release_unused(Duration::ZERO);
        assert_eq!(kept(), 0);
    }

    #[test]
    fn a_panic_closes_the_scope() {
        let caught = std::panic::catch_unwind(|| in_scope(|| panic!("in the middle")));
        assert!(caught.is_err() && CURRENT.get().is_null());
    }
}
