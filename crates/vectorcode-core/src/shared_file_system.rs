//! Recognises file systems that another machine, or the host of a virtual machine, can change too. They send no events for
//! such changes.

use std::path::Path;

/// The kind of shared file system that a path is on, if it is on one. Only checked on Linux: Windows and macOS send events
/// for network drives.
pub fn shared_file_system(path: &Path) -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    {
        // Magic numbers have 32 bits, whatever the field's type is on this platform.
        #[allow(clippy::unnecessary_cast)]
        rustix::fs::statfs(path).ok().and_then(|found| kind(found.f_type as u32))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

/// Decides by the magic numbers of `statfs(2)`. Local disks with a driver in user space are FUSE too.
#[cfg(target_os = "linux")]
fn kind(magic: u32) -> Option<&'static str> {
    match magic {
        // Windows drives in WSL, folders of gVisor.
        0x0102_1997 => Some("9p"),
        // sshfs, and virtiofs in containers on a desktop.
        0x6573_5546 => Some("FUSE"),
        0x6969 => Some("NFS"),
        0x517B | 0xFE53_4D42 | 0xFF53_4D42 => Some("SMB"),
        0x786F_4256 | 0xBACB_ACBC | 0x7C7C_6673 => Some("shared folder"),
        0x00C3_6400 => Some("Ceph"),
        0x0BD0_0BD0 => Some("Lustre"),
        _ => None,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn drives_of_windows_in_wsl_are_shared_and_local_disks_are_not() {
        assert_eq!(kind(0x0102_1997), Some("9p"));
        for (local, magic) in
            [("ext4", 0xEF53), ("tmpfs", 0x0102_1994), ("overlay", 0x794C_7630), ("btrfs", 0x9123_683E)]
        {
            assert_eq!(kind(magic), None, "{local}");
        }
        assert_eq!(shared_file_system(Path::new("/proc")), None);
    }
}
