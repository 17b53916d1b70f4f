/** Beyond its connection's budget, the host sent data that an SSH server has no reason to send. */
export class HostilePeerError extends Error {
  override readonly name = 'HostilePeerError';

  /** @param what subject and verb of the message; must not contain text from the host */
  constructor(readonly what: string) {
    super(what);
  }
}
