//! An arena allocator for syntax trees: memory is cut from large chunks while a text is parsed, and freed all at once.
//!
//! The tree of a file consists of a hundred thousand small blocks. Allocating and freeing each through the C library was a
//! tenth of the processor time of an index run, and walking trees only to free them was part of the rest.
//!
//! [`scope`] makes an arena current on its thread, and tree-sitter allocates from it. Freed blocks are reused for blocks of
//! the same size. At the end of the scope, everything is released, freed or not. The empty arena is kept for the next scope
//! on any thread: a server has many threads that parse now and then, but few that do so at the same time.
//!
//! Measured against other allocators on 11.5 MB of C++ (`VECTORCODE_BENCH_TREE=abseil cargo bench -p vectorcode-source`, one
//! thread, processor seconds of the whole bench, two runs): the arena 18.1 and 17.4; glibc 19.2 and 19.1; `mimalloc` 17.6 and
//! 15.6. The last two never freed a tree, which favours them. The arena stays, because only it returns memory at once and can
//! refuse an allocation. `mimalloc` for the Rust side together with the arena took 15.9.
//!
//! A parse has limits on memory and time. Both are enforced here, because tree-sitter checks whether to go on only between
//! its steps, and a single step can use up all memory: in the last step, 4 kB of `[,a [,a ` as Python took 346 MB and two
//! seconds, and both grow with the square of the length. What happens beyond a limit is up to [`Limits`]: a parser process
//! exits. A process that has not set any, such as a library test, has no limits except the time check between steps.
//!
//! Few files need much memory. Beyond [`OWN_BYTES`], a parse waits for a permit ([`Limits::wait_for_permit`]), so that all
//! parses together stay within a budget, however many there are. They wait instead of failing, so that the index is the same
//! on any machine.
#![expect(unsafe_code, reason = "an allocator is made of pointers; they do not leave this file")]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::{LazyLock, Mutex, Once, OnceLock};
use std::time::{Duration, Instant};

use vectorcode_core::lock;

use crate::processor_time::processor_time;

/// The alignment that C guarantees for any type.
const ALIGN: usize = 16;
/// A block, addressed in machine words.
type Block = *mut usize;

/// Each block is preceded by its size class.
const HEADER: usize = size_of::<usize>();
/// Up to this size, blocks come in every multiple of [`ALIGN`]; larger ones come in powers of two.
const FINE: usize = 1024;
const FINE_CLASSES: usize = FINE / ALIGN;
const CLASSES: usize = FINE_CLASSES + 32;
/// Minimum size of a chunk.
const CHUNK_BYTES: usize = 1 << 20;
/// An empty arena keeps at most this much for its next text.
const KEPT_BYTES: usize = 4 << 20;

/// Maximum memory of a parse. In real sources of the largest size allowed (1 MB), parses take 6 to 45 MB, and 120 MB if every
/// line is a handful of tiny tokens.
const PARSE_BYTES: usize = 128 << 20;
/// Memory that a parse may use without waiting for a permit.
const OWN_BYTES: usize = 8 << 20;
/// How many blocks larger than [`FINE`] are allocated between two checks of the time. Anything that takes long copies such
/// blocks.
const LARGE_BLOCKS_PER_LOOK: u32 = 64;

thread_local! {
    static CURRENT: Cell<*mut Arena> = const { Cell::new(ptr::null_mut()) };
}

/// Runs `work` with an arena for tree-sitter's allocations. A nested scope uses the arena of the outer one.
///
/// # Safety
///
/// All parsers, trees and cursors that `work` creates must be dropped or forgotten by its end, and must stay on this thread.
pub(crate) unsafe fn scope<T>(work: impl FnOnce() -> T) -> T {
    install();
    let _open = CURRENT.get().is_null().then(Open::new);
    work()
}

/// What to do with a parse that exceeds its limits.
pub(crate) trait Limits: Sync {
    fn out_of_time(&self) -> !;
    fn out_of_memory(&self) -> !;
    /// The system is out of memory.
    fn no_memory(&self) -> !;
    /// Blocks until this parse may take more than [`OWN_BYTES`]. It then may until the end of its request.
    fn wait_for_permit(&self);
}

static LIMITS: OnceLock<&'static dyn Limits> = OnceLock::new();

/// Sets the limits for all further parses of this process.
pub(crate) fn set_limits(limits: &'static dyn Limits) {
    let _ = LIMITS.set(limits);
}

/// Sets the time, in [`processor_time`], by which the parse in the current scope must be done.
pub(crate) fn set_deadline(deadline: Option<Duration>) {
    // SAFETY: the current arena is alive and belongs to this thread, and no other reference to it is in use.
    if let Some(arena) = unsafe { CURRENT.get().as_mut() } {
        arena.deadline = deadline;
    }
}

/// Makes tree-sitter allocate from arenas, starting with its first block.
fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let allocator = tree_sitter::Allocator {
            malloc: take_block,
            calloc: take_zeros,
            realloc: resize_block,
            free: free_block,
        };
        // SAFETY: the four functions belong together, and tree-sitter, which is only used inside scopes, has not allocated
        // before.
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
        // SAFETY: the pointer comes from a box in `new`, and nothing else refers to it now that it is no longer current.
        let mut arena = unsafe { Box::from_raw(self.arena) };
        arena.empty();
        ARENAS.keep(arena);
    }
}

/// Keeps at most as many arenas as there are cores.
static ARENAS: LazyLock<Pool> =
    LazyLock::new(|| Pool::new(std::thread::available_parallelism().map_or(1, usize::from)));

/// Drops arenas that have not been used for this long.
pub(crate) fn release_unused(since: Duration) {
    ARENAS.release_unused(since);
}

/// Empty arenas; the most recently used one is last.
struct Pool {
    arenas: Mutex<Vec<Kept>>,
    most: usize,
}

struct Kept {
    arena: Box<Arena>,
    used: Instant,
}

// SAFETY: an empty arena owns its chunks, and the thread that used it keeps no reference to it.
unsafe impl Send for Kept {}

impl Pool {
    fn new(most: usize) -> Self {
        Self { arenas: Mutex::default(), most }
    }

    fn take(&self) -> Box<Arena> {
        let kept = lock(&self.arenas).pop();
        kept.map(|kept| kept.arena).unwrap_or_default()
    }

    fn keep(&self, arena: Box<Arena>) {
        let mut arenas = lock(&self.arenas);
        if arenas.len() < self.most {
            arenas.push(Kept { arena, used: Instant::now() });
        }
    }

    fn release_unused(&self, since: Duration) {
        let mut arenas = lock(&self.arenas);
        arenas.retain(|kept| kept.used.elapsed() < since);
    }
}

struct Arena {
    chunks: Vec<Chunk>,
    /// The part of the last chunk that no block has been cut from yet.
    rest: Block,
    rest_bytes: usize,
    /// Lists of freed blocks, one per size class; each block contains the address of the next.
    freed: [Block; CLASSES],
    /// Total size of all chunks.
    bytes: usize,
    /// The deadline of the current parse. Code that only reads the finished tree has none: it needs no more memory than the
    /// tree.
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
        // SAFETY: `give_back` wrote the address of the next block into this one, which has room for it.
        self.freed[class] = unsafe { freed.cast::<Block>().read() };
        freed
    }

    /// Cuts a new block from the last chunk.
    #[inline]
    fn cut(&mut self, class: usize) -> Block {
        let bytes = class_bytes(class);
        if self.rest_bytes < bytes {
            self.add_chunk(bytes);
        }
        // SAFETY: the rest is in the last chunk, which lives as long as the arena, and has room for the block. It begins
        // `HEADER` before a multiple of `ALIGN`, and so does what remains, because block sizes are multiples of `ALIGN`.
        unsafe {
            let block = self.rest.byte_add(HEADER);
            self.rest.write(class);
            self.rest = self.rest.byte_add(bytes);
            self.rest_bytes -= bytes;
            block
        }
    }

    /// # Safety
    /// `block` belongs to this arena and is in use.
    #[inline]
    unsafe fn give_back(&mut self, block: Block) {
        // SAFETY: every block is preceded by its class and has room for an address.
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
            limits.wait_for_permit();
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

    /// Makes the whole last chunk available again.
    fn rewind(&mut self) {
        if let Some(chunk) = self.chunks.last() {
            // SAFETY: a chunk is larger than `ALIGN`.
            self.rest = unsafe { chunk.start.as_ptr().byte_add(ALIGN - HEADER) };
            self.rest_bytes = chunk.layout.size() - ALIGN;
        }
    }

    /// Discards all blocks. Keeps one chunk as large as what was used, up to [`KEPT_BYTES`].
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

/// A piece of memory that blocks are cut from.
struct Chunk {
    start: NonNull<usize>,
    layout: Layout,
}

impl Chunk {
    fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, ALIGN).expect("a tree is smaller than the address space");
        // SAFETY: the size is never zero.
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
        // SAFETY: allocated in `new` with the same layout.
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

/// Size of a block of this class, including its header.
#[inline]
fn class_bytes(class: usize) -> usize {
    if class < FINE_CLASSES { (class + 1) * ALIGN } else { FINE << (class - FINE_CLASSES + 1) }
}

/// # Safety
/// `block` belongs to an arena.
unsafe fn class_in_front(block: Block) -> usize {
    // SAFETY: `cut` wrote the class there.
    unsafe { block.byte_sub(HEADER).read() }
}

/// # Safety
/// The reference must not be used after the next call.
unsafe fn current<'a>() -> &'a mut Arena {
    // SAFETY: the current arena is alive; only its own thread uses it, in one of the functions below at a time.
    unsafe { CURRENT.get().as_mut() }.expect("tree-sitter works inside of a scope")
}

unsafe extern "C" fn take_block(size: usize) -> *mut c_void {
    // SAFETY: only one reference exists at a time.
    unsafe { current() }.take(size).cast()
}

unsafe extern "C" fn take_zeros(count: usize, size: usize) -> *mut c_void {
    let bytes = count.checked_mul(size).expect("tree-sitter asks for sizes that exist");
    // SAFETY: only one reference exists at a time, and the block has `bytes` bytes.
    unsafe {
        let block = current().take(bytes);
        block.cast::<u8>().write_bytes(0, bytes);
        block.cast()
    }
}

unsafe extern "C" fn resize_block(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(old) = NonNull::new(block.cast::<usize>()) else {
        // SAFETY: as for any new block.
        return unsafe { take_block(size) };
    };
    // SAFETY: tree-sitter resizes only blocks allocated here. Blocks do not overlap, and both have at least the copied bytes.
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
        // SAFETY: tree-sitter frees only blocks allocated here, and each only once.
        unsafe { current().give_back(block.cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of `size` bytes, filled with `mark`.
    fn take(size: usize, mark: u8) -> *mut u8 {
        // SAFETY: inside a scope; the block has `size` bytes.
        unsafe {
            let block = take_block(size).cast::<u8>();
            block.write_bytes(mark, size);
            block
        }
    }

    fn holds(block: *const u8, size: usize, mark: u8) -> bool {
        // SAFETY: a block of the current arena with at least `size` bytes, all written.
        unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|byte| *byte == mark)
    }

    fn in_scope<T>(work: impl FnOnce() -> T) -> T {
        // SAFETY: the tests create no tree-sitter objects, and do not use their blocks afterwards.
        unsafe { scope(work) }
    }

    /// How much an arena keeps for its next scope after one that allocated `blocks` blocks of `bytes` bytes.
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
                // SAFETY: a block in use; the old pointer is not used again.
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
