//! Classifies hosts: on the public internet, in a private network, or never to be fetched from.
//!
//! Cloud machines can get their credentials from an address on their network link, and local services listen on loopback
//! addresses. Such addresses can be written in many ways. Names are judged as written, because git resolves them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostReach {
    Public,
    /// Where companies run their git server, and many other services.
    Private,
    /// This machine, its network link, a cloud's metadata service, or not a host at all.
    Refused,
}

/// Metadata services of clouds whose addresses look like ordinary ones.
const METADATA_V4: [Ipv4Addr; 2] = [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16)];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254);
const METADATA_NAMES: [&str; 6] = [
    "metadata",
    "metadata.google.internal",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "instance-data",
    "instance-data.ec2.internal",
];

const OWN_NAMES: [&str; 5] =
    ["localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback"];

/// Top-level names that do not exist in the public DNS.
const PRIVATE_ENDINGS: [&str; 11] = [
    "internal",
    "local",
    "localdomain",
    "lan",
    "home",
    "corp",
    "intranet",
    "private",
    "home.arpa",
    "svc",
    "consul",
];

/// Classifies a host by its name or its address without brackets.
pub(super) fn host_reach(host: &str) -> HostReach {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    match name.parse() {
        Ok(IpAddr::V4(address)) => reach_v4(address),
        Ok(IpAddr::V6(address)) => reach_v6(address),
        Err(_) => reach_by_name(&name),
    }
}

fn reach_by_name(name: &str) -> HostReach {
    let is_below = |ending: &str| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.'));
    let is_own = OWN_NAMES.contains(&name) || is_below("localhost");
    if name.is_empty() || is_own || METADATA_NAMES.contains(&name) || is_number(name) {
        return HostReach::Refused;
    }
    // A name without a dot is in the local network too.
    if !name.contains('.') || PRIVATE_ENDINGS.iter().any(|ending| is_below(ending)) {
        return HostReach::Private;
    }
    HostReach::Public
}

/// Many programs take `127.1`, `2130706433` and `0x7f000001` for addresses. No host has such a name.
fn is_number(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| {
        last.starts_with(|letter: char| letter.is_ascii_digit())
            && last.trim_start_matches("0x").bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn reach_v4(address: Ipv4Addr) -> HostReach {
    let [first, second, third, _] = address.octets();
    // "This network", protocol assignments, and everything above the unicast addresses.
    let is_no_host = first == 0 || first >= 224 || [first, second, third] == [192, 0, 0];
    if is_no_host || address.is_loopback() || address.is_link_local() || METADATA_V4.contains(&address) {
        return HostReach::Refused;
    }
    let is_shared = first == 100 && second & 0xc0 == 64;
    let is_benchmark = first == 198 && second & 0xfe == 18;
    if address.is_private() || is_shared || is_benchmark || address.is_documentation() {
        return HostReach::Private;
    }
    HostReach::Public
}

fn reach_v6(address: Ipv6Addr) -> HostReach {
    if let Some(inner) = embedded_v4(address) {
        // Nobody writes the address of their own private server in such a form.
        return if reach_v4(inner) == HostReach::Public { HostReach::Public } else { HostReach::Refused };
    }
    match address.segments() {
        // Services on Amazon's network link.
        [0xfd00, 0xec2, ..] => HostReach::Refused,
        _ if address == METADATA_V6 => HostReach::Refused,
        [0xfc00..=0xfdff, ..] => HostReach::Private,
        // Teredo, other protocol assignments, and documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] => HostReach::Refused,
        [0x2000..=0x3fff, ..] => HostReach::Public,
        // Loopback, link-local, multicast, translation within a network, and unassigned addresses.
        _ => HostReach::Refused,
    }
}

/// The IPv4 address that packets to this IPv6 address are delivered to.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    // Mapped, compatible, translated, NAT64, and finally 6to4.
    let ([0, 0, 0, 0, 0, 0xffff | 0, high, low]
    | [0, 0, 0, 0, 0xffff, 0, high, low]
    | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
    | [0x2002, high, low, ..]) = address.segments()
    else {
        return None;
    };
    Some(Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_public_private_or_refused() {
        use HostReach::{Private, Public, Refused};
        for (host, expected) in [
            ("github.com", Public),
            ("GitHub.com.", Public),
            ("localhost.example.com", Public),
            ("8.8.8.8", Public),
            ("172.32.0.1", Public),
            ("100.128.0.1", Public),
            ("2606:4700::6810:84e5", Public),
            ("64:ff9b::808:808", Public),
            ("10.0.0.7", Private),
            ("172.16.3.4", Private),
            ("192.168.1.2", Private),
            ("100.64.0.1", Private),
            ("198.18.0.1", Private),
            ("192.0.2.1", Private),
            ("fd12:3456::1", Private),
            ("fc00::1", Private),
            ("git.corp.internal", Private),
            ("gitea.local", Private),
            ("gitea", Private),
            ("api.home.arpa", Private),
            ("localhost", Refused),
            ("LOCALHOST.", Refused),
            ("a.localhost", Refused),
            ("metadata.google.internal", Refused),
            ("Metadata.Google.Internal.", Refused),
            ("metadata", Refused),
            ("", Refused),
            ("..", Refused),
            ("0.0.0.0", Refused),
            ("0.1.2.3", Refused),
            ("127.0.0.1", Refused),
            ("127.255.255.254", Refused),
            ("127.1", Refused),
            ("0177.0.0.1", Refused),
            ("2130706433", Refused),
            ("0x7f000001", Refused),
            ("169.254.169.254", Refused),
            ("192.0.0.192", Refused),
            ("168.63.129.16", Refused),
            ("100.100.100.200", Refused),
            ("224.0.0.1", Refused),
            ("255.255.255.255", Refused),
            ("::", Refused),
            ("::1", Refused),
            ("::127.0.0.1", Refused),
            ("::ffff:127.0.0.1", Refused),
            ("::ffff:10.0.0.1", Refused),
            ("::ffff:0:127.0.0.1", Refused),
            ("64:ff9b::7f00:1", Refused),
            ("64:ff9b::a9fe:a9fe", Refused),
            ("64:ff9b:1::7f00:1", Refused),
            ("2002:7f00:1::", Refused),
            ("2002:a00:1::5", Refused),
            ("2001:0:4136:e378::1", Refused),
            ("2001:db8::1", Refused),
            ("fe80::1", Refused),
            ("fec0::1", Refused),
            ("ff02::1", Refused),
            ("100::1", Refused),
            ("fd00:ec2::254", Refused),
            ("fd20:ce::254", Refused),
        ] {
            assert_eq!(host_reach(host), expected, "{host}");
        }
    }
}
