import { createRequire } from 'node:module';
import { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import {
  getDefaultCiphers,
  getDefaultMacs,
  type Ssh2Channel,
  type Ssh2ChannelEntry,
  type Ssh2Cipher,
  type Ssh2Client,
  type Ssh2Decipher,
  type Ssh2KeyExchange,
  type Ssh2Protocol,
  toPrivateClient,
} from './private-fields.js';

interface CipherPair {
  cipher: Ssh2Cipher;
  decipher: Ssh2Decipher;
}

/** Objects of ssh2 in a key exchange with a group of the host, and after the host confirmed a channel. */
export interface PrivateObjects {
  client: Ssh2Client;
  protocol: Ssh2Protocol;
  decipher: Ssh2Decipher;
  keyExchange: Ssh2KeyExchange;
  openingChannel: Ssh2ChannelEntry;
  channel: Ssh2Channel;
  aesGcm: CipherPair;
  aesCtr: CipherPair;
  lists: { ciphers: readonly string[]; macs: readonly string[]; hostKeys: readonly string[] };
}

/** Values of the confirmed channel. */
export const SAMPLE_CHANNEL = { id: 7, packetSize: 1024 };

/** Further internals of ssh2, which only the sample connection uses. */
interface SampleProtocol extends Ssh2Protocol {
  _offer: Ssh2Protocol['_offer'] & { lists: { all: Buffer } };
  _handlers: { CHANNEL_OPEN_CONFIRMATION(protocol: Ssh2Protocol, channel: Record<string, number>): void };
}
interface CipherFunctions {
  CIPHER_INFO: Readonly<Record<string, { keyLen: number; ivLen: number }>>;
  MAC_INFO: Readonly<Record<string, { len: number }>>;
  createCipher: (config: object) => Ssh2Cipher;
  createDecipher: (config: object) => Ssh2Decipher;
}

const require = createRequire(import.meta.url);
const IDENTIFICATION = Buffer.from('SSH-2.0-sample\r\n');
const KEXINIT = 20;
const COOKIE_BYTES = 16;
/** SSH_MSG_KEXINIT ends with a boolean and a reserved number. */
const KEXINIT_END_BYTES = 5;
const MAC_NAME = 'hmac-sha2-256';

/**
 * Starts a connection over a socket in memory. The socket discards all output.
 * @throws Error if ssh2 does not work as expected
 */
export function readPrivateObjects(): PrivateObjects {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const client = new ssh2.Client();
  client.on('error', () => undefined); // the connection ends without an answer
  try {
    client.connect({
      sock: socket,
      username: 'none',
      authHandler: [],
      algorithms: { kex: ['diffie-hellman-group-exchange-sha256'], compress: ['none'] },
      readyTimeout: 0,
    });
    const privateClient = toPrivateClient(client);
    const protocol = privateClient._protocol as SampleProtocol;
    protocol.parse(IDENTIFICATION, 0, IDENTIFICATION.length);
    const kexInit = encodeKexInit(protocol._offer.lists.all);
    protocol.parse(kexInit, 0, kexInit.length);
    client.exec('true', () => undefined);
    const openingChannel = privateClient._chanMgr._channels[0] as Ssh2ChannelEntry;
    const { id: sender, packetSize } = SAMPLE_CHANNEL;
    protocol._handlers.CHANNEL_OPEN_CONFIRMATION(protocol, { recipient: 0, sender, packetSize, window: 0 });
    const { SUPPORTED_SERVER_HOST_KEY: hostKeys } = require('ssh2/lib/protocol/constants.js') as Record<
      string,
      string[]
    >;
    return {
      client: privateClient,
      protocol,
      decipher: protocol._decipher as Ssh2Decipher,
      keyExchange: protocol._kex as Ssh2KeyExchange,
      openingChannel,
      channel: privateClient._chanMgr._channels[0] as Ssh2Channel,
      aesGcm: createCipherPair('aes128-gcm@openssh.com'),
      aesCtr: createCipherPair('aes128-ctr'),
      lists: { ciphers: getDefaultCiphers(), macs: getDefaultMacs(), hostKeys: hostKeys ?? [] },
    };
  } finally {
    socket.destroy();
  }
}

/** Encodes the message as an unencrypted packet (RFC 4253, 6 and 7.1). */
function encodeKexInit(lists: Buffer): Buffer {
  const payload = Buffer.concat([
    Buffer.of(KEXINIT),
    Buffer.alloc(COOKIE_BYTES),
    lists,
    Buffer.alloc(KEXINIT_END_BYTES),
  ]);
  const padding = 16 - ((5 + payload.length) % 8);
  const packet = Buffer.alloc(5 + payload.length + padding);
  packet.writeUInt32BE(packet.length - 4);
  packet[4] = padding;
  payload.copy(packet, 5);
  return packet;
}

/** Without the optional native addon of ssh2, whose ciphers keep their keys to themselves. */
function createCipherPair(name: string): CipherPair {
  const { CIPHER_INFO, MAC_INFO, createCipher, createDecipher } =
    require('ssh2/lib/protocol/crypto.js') as CipherFunctions;
  const { [name]: info } = CIPHER_INFO;
  const { [MAC_NAME]: macInfo } = MAC_INFO;
  const key = Buffer.alloc(info?.keyLen ?? 0);
  const iv = Buffer.alloc(info?.ivLen ?? 0);
  const shared = { seqno: 0, forceNative: true, macInfo, macKey: Buffer.alloc(macInfo?.len ?? 0) };
  const ignore = () => undefined;
  return {
    cipher: createCipher({ outbound: { ...shared, onWrite: ignore, cipherInfo: info, cipherKey: key, cipherIV: iv } }),
    decipher: createDecipher({
      inbound: { ...shared, onPayload: ignore, decipherInfo: info, decipherKey: key, decipherIV: iv },
    }),
  };
}
