//! A parse that the allocator can end at any moment; see `guard.c` for why.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

use tree_sitter::ffi::{TSParseState, TSParser, TSTree};

/// Asked between the steps of a parse whether to stop it. Its state has the payload of the parse.
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

/// What became of a parse.
#[derive(Debug)]
pub enum Parse {
    Done(NonNull<TSTree>),
    /// `is_over` said so, or the parser had no language.
    Stopped,
    /// By [`leave_parse`]. The parser is in no state to be used or freed.
    Left,
}

/// Parses a text, which must be shorter than 4 GiB.
///
/// # Safety
///
/// `parser` must be a live parser, `payload` what `is_over` expects, and `way_out` a place that outlives the call. While it
/// is not null, it may be given to [`leave_parse`] by code that tree-sitter calls on this thread, and that has nothing to
/// drop.
pub unsafe fn guarded_parse(
    parser: *mut TSParser,
    text: &str,
    is_over: IsOver,
    payload: *mut c_void,
    way_out: *mut *mut c_void,
) -> Parse {
    let Ok(length) = u32::try_from(text.len()) else { return Parse::Stopped };
    let mut was_left = false;
    // SAFETY: the caller promises what the C asks for; the text lives as long as the call.
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

/// Leaves the parse that is going on.
///
/// # Safety
///
/// See [`guarded_parse`], whose `way_out` this must be.
pub unsafe fn leave_parse(way_out: NonNull<c_void>) -> ! {
    // SAFETY: it is the mark of a call that has not returned.
    unsafe { vectorcode_leave_parse(way_out.as_ptr()) }
}
