//! Hosts and users are looked up by code inside a static binary.
//!
//! For each source of `/etc/nsswitch.conf` that glibc does not contain (`mdns4_minimal` on Debian and Ubuntu, `resolve` and `myhostname` on
//! Fedora and Arch, `systemd`) it loads a library of the system, which brings the system's own glibc. Where that is another version
//! than the binary's, the process ends: one linked with glibc 2.36 by SIGFPE beside 2.41, by SIGABRT beside 2.31.

use std::ffi::{CStr, c_char, c_int};

/// What glibc contains since version 2.34. A resolver of systemd is asked all the same: it is named in `/etc/resolv.conf`.
const SOURCES: [(&CStr, &CStr); 2] = [(c"hosts", c"files dns"), (c"passwd", c"files")];

#[expect(unsafe_code, reason = "a setting of the C library")]
unsafe extern "C" {
    fn __nss_configure_lookup(database: *const c_char, sources: *const c_char) -> c_int;
}

/// To be called before anything is looked up.
pub fn use_own_sources() {
    for (database, sources) in SOURCES {
        #[expect(unsafe_code, reason = "a setting of the C library")]
        // SAFETY: both are strings that end with a zero, and no other thread runs yet. Where it fails, the system's sources stay.
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
