/** PostgreSQL's number for its type bytea. */
const BYTEA = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * An array of byte strings in PostgreSQL's binary form, to be handed over as a parameter of type `bytea[]`. The driver
 * would write a plain list as text instead, with two letters for each byte, and each of them copied several times.
 */
export function byteaArray(values: readonly Buffer[]): Buffer {
  const length = values.reduce((sum, value) => sum + LENGTH_BYTES + value.length, HEADER_BYTES);
  const bytes = Buffer.allocUnsafeSlow(length);
  // dimensions, no nulls, type of the elements; size and lower bound of the one dimension
  let at = 0;
  for (const word of [1, 0, BYTEA, values.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    at += value.copy(bytes, at);
  }
  return bytes;
}
