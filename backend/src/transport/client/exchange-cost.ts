/** Processor time of a key exchange on the client; 1 = Curve25519. */
const COST_BY_KEY_EXCHANGE: Readonly<Record<string, number>> = {
  'curve25519-sha256': 1,
  'curve25519-sha256@libssh.org': 1,
  'diffie-hellman-group16-sha512': 3,
  'diffie-hellman-group18-sha512': 8,
  'diffie-hellman-group-exchange-sha256': 8,
  'diffie-hellman-group-exchange-sha1': 8,
};
const DEFAULT_KEY_EXCHANGE_COST = 3;
/** Offset of the first name-list in SSH_MSG_KEXINIT (RFC 4253, 7.1). */
const FIRST_NAME_LIST_OFFSET = 17;

/**
 * Returns the cost of the key exchange that follows from the host's SSH_MSG_KEXINIT.
 * @param ours names that the client offers, preferred first
 */
export function getKeyExchangeCost(kexInit: Buffer, ours: readonly string[]): number {
  if (kexInit.length < FIRST_NAME_LIST_OFFSET + 4) return DEFAULT_KEY_EXCHANGE_COST;
  const start = FIRST_NAME_LIST_OFFSET + 4;
  const names = new Set(
    kexInit.toString('latin1', start, start + kexInit.readUInt32BE(FIRST_NAME_LIST_OFFSET)).split(','),
  );
  const chosen = ours.find((name) => names.has(name));
  return COST_BY_KEY_EXCHANGE[chosen ?? ''] ?? DEFAULT_KEY_EXCHANGE_COST;
}
