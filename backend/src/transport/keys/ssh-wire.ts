/** The two basic types of every SSH message and key (RFC 4251, section 5). */

/** A string: its length in four bytes, then its bytes. */
export function encodeWireString(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A positive integer (mpint): no unnecessary leading zero byte; the first bit is 0. */
export function encodeWireInteger(magnitude: Buffer): Buffer {
  let start = 0;
  while (start < magnitude.length - 1 && magnitude[start] === 0) start += 1;
  const bytes = magnitude.subarray(start);
  return encodeWireString((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** Splits a message that consists only of strings; undefined if the lengths do not add up to the message. */
export function splitWireStrings(message: Buffer): Buffer[] | undefined {
  const parts: Buffer[] = [];
  let offset = 0;
  while (offset < message.length) {
    if (message.length - offset < 4) return undefined;
    const end = offset + 4 + message.readUInt32BE(offset);
    if (end > message.length) return undefined;
    parts.push(message.subarray(offset + 4, end));
    offset = end;
  }
  return parts;
}
