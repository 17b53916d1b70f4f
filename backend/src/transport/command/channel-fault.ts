/**
 * Every SSH server takes far larger packets. ssh2 (1.17) cuts what it sends into packets of the size that the host asked
 * for, and never comes to an end if that is 0.
 */
const SMALLEST_PACKET = 128;

/** What ssh2 keeps to itself. */
interface Ends {
  outgoing: { packetSize: number };
}

/** Why nothing can be sent over the channel; null: it can. To be asked before the first byte is written. */
export function channelFault(channel: object): string | null {
  const { packetSize } = (channel as Ends).outgoing;
  return packetSize >= SMALLEST_PACKET ? null : `it takes packets of ${packetSize} bytes only`;
}
