//! A parse that the allocator can abort at any point. See `guard.c` for the reason.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use tree_sitter::ffi::{TSParseState, TSParser, TSTree};

/// Called between the steps of a parse to ask whether to stop it. The state contains the payload of the parse.
pub type IsOver = unsafe extern "C" fn(*mut TSParseState) -> bool;

unsafe extern "C" {
    fn vectorcode_guarded_parse(
        parser: *mut TSParser,
        bytes: *const c_char,
        length: u32,
        is_over: IsOver,
        payload: *mut c_void,
        way_out: *mut *mut c_void,
        was_left: *mut bool,
    ) -> *mut TSTree;
    fn vectorcode_leave_parse(way_out: *mut c_void) -> !;
}

/// The result of a parse.
#[derive(Debug)]
pub enum Parse {
    Done(NonNull<TSTree>),
    /// `is_over` returned true, or the parser had no language.
    Stopped,
    /// Aborted by [`leave_parse`]. The parser is in an invalid state and must not be used or freed.
    Left,
}

/// Parses a text, which must be shorter than 4 GiB.
///
/// # Safety
///
/// `parser` must be a live parser, `payload` must be what `is_over` expects, and `way_out` must point to memory that
/// outlives the call. While it is not null, it may be passed to [`leave_parse`], but only by code that tree-sitter
/// calls on this thread and that has nothing to drop.
pub unsafe fn guarded_parse(
    parser: *mut TSParser,
    text: &str,
    is_over: IsOver,
    payload: *mut c_void,
    way_out: *mut *mut c_void,
) -> Parse {
    let Ok(length) = u32::try_from(text.len()) else { return Parse::Stopped };
    let mut was_left = false;
    // SAFETY: the caller guarantees what the C function requires, and the text outlives the call.
    let tree = unsafe {
        let bytes = text.as_ptr().cast();
        vectorcode_guarded_parse(parser, bytes, length, is_over, payload, way_out, &raw mut was_left)
    };
    match NonNull::new(tree) {
        Some(tree) => Parse::Done(tree),
        None if was_left => Parse::Left,
        None => Parse::Stopped,
    }
}

/// Aborts the current parse.
///
/// # Safety
///
/// `way_out` must be the one of the current [`guarded_parse`]; see its requirements.
pub unsafe fn leave_parse(way_out: NonNull<c_void>) -> ! {
    // SAFETY: `way_out` belongs to a call that has not returned.
    unsafe { vectorcode_leave_parse(way_out.as_ptr()) }
}
