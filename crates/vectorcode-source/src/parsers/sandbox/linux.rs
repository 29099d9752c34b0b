//! Linux: a filter of system calls (seccomp), and no access to files and networks (Landlock). The filter alone would be
//! enough; Landlock covers processors that the filter does not support, and mistakes in the filter. A kernel may lack either
//! of them.

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, Scope};

/// Handles every access right that this kernel knows, and grants none.
pub(super) fn restrict_access() -> Result<(), RulesetError> {
    let newest = ABI::V6;
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))?
        .handle_access(AccessNet::from_all(newest))?
        .scope(Scope::from_all(newest))?;
    ruleset.create()?.restrict_self().map(|_| ())
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
pub(super) use filter::filter_calls;

/// The filter does not support this processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
pub(super) fn filter_calls() -> Result<(), ()> {
    Err(())
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
mod filter {
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, apply_filter,
    };

    /// What parsing needs: its two pipes, memory, clocks, ways to exit, and the system calls that the C library makes on
    /// those paths.
    const ALLOWED: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    type Rules = (libc::c_long, Vec<SeccompRule>);

    pub(in super::super) fn filter_calls() -> seccompiler::Result<()> {
        let own_id = u64::from(std::process::id());
        let mut rules: Vec<Rules> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
        rules.extend([
            without_code(libc::SYS_mmap)?,
            without_code(libc::SYS_mprotect)?,
            // `abort` sends a signal to its own process with one of these.
            first_argument_is(libc::SYS_tgkill, own_id)?,
            first_argument_is(libc::SYS_tkill, own_id)?,
            first_argument_is(libc::SYS_prlimit64, 0)?,
        ]);
        // Calls fail instead of killing the process, because the library can do without some calls that it tries.
        let refused = SeccompAction::Errno(libc::EPERM as u32);
        let architecture = std::env::consts::ARCH.try_into()?;
        let filter =
            SeccompFilter::new(rules.into_iter().collect(), refused, SeccompAction::Allow, architecture)?;
        let program: BpfProgram = filter.try_into()?;
        apply_filter(&program)
    }

    /// Allows the call only for memory that is not executable.
    fn without_code(call: libc::c_long) -> Result<Rules, BackendError> {
        Ok((call, vec![rule(2, SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64), 0)?]))
    }

    fn first_argument_is(call: libc::c_long, value: u64) -> Result<Rules, BackendError> {
        Ok((call, vec![rule(0, SeccompCmpOp::Eq, value)?]))
    }

    fn rule(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
        SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, is, value)?])
    }
}
