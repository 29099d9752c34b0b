//! Makes a static binary look up hosts and users with the code that is linked into it.
//!
//! For each source in `/etc/nsswitch.conf` that glibc does not contain (`mdns4_minimal` on Debian and Ubuntu, `resolve` and
//! `myhostname` on Fedora and Arch, `systemd`), glibc loads a library of the system, which in turn loads the system's glibc. If
//! its version differs from the binary's, the process crashes: a binary linked with glibc 2.36 got SIGFPE with 2.41 and SIGABRT
//! with 2.31.

use std::ffi::{CStr, c_char, c_int};

/// The sources that glibc contains since version 2.34. A systemd resolver is still used, since `/etc/resolv.conf` names it.
const SOURCES: [(&CStr, &CStr); 2] = [(c"hosts", c"files dns"), (c"passwd", c"files")];

#[expect(unsafe_code, reason = "a setting of the C library")]
unsafe extern "C" {
    fn __nss_configure_lookup(database: *const c_char, sources: *const c_char) -> c_int;
}

/// Call this before anything is looked up.
pub fn use_own_sources() {
    for (database, sources) in SOURCES {
        #[expect(unsafe_code, reason = "a setting of the C library")]
        // SAFETY: both are NUL-terminated strings, and no other thread runs yet. If it fails, the system's sources stay.
        unsafe {
            __nss_configure_lookup(database.as_ptr(), sources.as_ptr())
        };
    }
}

#[cfg(test)]
mod tests {
    use std::net::ToSocketAddrs;

    #[test]
    fn asking_for_a_host_loads_no_library() {
        super::use_own_sources();
        assert!(("localhost", 80).to_socket_addrs().is_ok());
        assert!(("no-such-host.invalid", 80).to_socket_addrs().is_err());
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!maps.contains(".so"), "{maps}");
    }
}
