const BYTEA_TYPE_OID = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Encodes byte strings as a PostgreSQL array in binary format, for a parameter of type `bytea[]`. For a plain array the
 * driver would write text: two hex digits per byte, copied several times.
 */
export function encodeByteaArray(values: readonly Buffer[]): Buffer {
  const length = values.reduce((sum, value) => sum + LENGTH_BYTES + value.length, HEADER_BYTES);
  const bytes = Buffer.allocUnsafeSlow(length);
  // Header: number of dimensions, null flag, element type; then size and lower bound of the dimension
  let at = 0;
  for (const word of [1, 0, BYTEA_TYPE_OID, values.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    at += value.copy(bytes, at);
  }
  return bytes;
}
