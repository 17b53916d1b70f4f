/**
 * SSH servers accept far larger packets. ssh2 (1.17) splits data into packets of the size that the host requests, and
 * loops forever if that size is 0.
 */
const MIN_PACKET_BYTES = 128;

interface Ssh2ChannelState {
  outgoing: { packetSize: number };
}

/**
 * Returns why nothing can be sent over the channel; null: the channel is usable. Call before writing the first byte.
 */
export function findChannelFault(channel: object): string | null {
  const { packetSize } = (channel as Ssh2ChannelState).outgoing;
  return packetSize >= MIN_PACKET_BYTES ? null : `it accepts only packets of ${packetSize} bytes`;
}
