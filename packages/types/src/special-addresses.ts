/** Addresses of the internet protocol that are not public: who connects to one reaches this machine or its neighbours. */

/** Ranges of IANA's registry of special IPv4 addresses, with multicast and what is reserved. */
export const specialIpv4: readonly string[] = Object.freeze([
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
  '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
  '224.0.0.0/4', '240.0.0.0/4',
]); // prettier-ignore

/**
 * Of IPv6 only `2000::/3` is given out to the public. Everything else, and what IANA's registry has as special within that:
 * Teredo, 6to4 and documentation among it. IPv4 that is mapped or translated into IPv6 lies in these ranges, too.
 */
export const specialIpv6: readonly string[] = Object.freeze([
  '::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20',
]); // prettier-ignore
