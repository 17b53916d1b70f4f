import { createRequire } from 'node:module';
import { StartError } from '../../common/database/start-error.js';
import { SSH2_DEFAULT_WINDOW_BYTES } from './channel-window.js';
import { type PrivateObjects, readPrivateObjects, SAMPLE_CHANNEL } from './private-objects.js';

/** Versions whose private fields and behaviour the tests of this folder cover. See README.md before adding one. */
const ACCEPTED_VERSIONS: readonly string[] = ['1.17.0'];
const REMEDY = 'Run "npm ci" in the folder of Runward, which installs the version of package-lock.json.';

const require = createRequire(import.meta.url);
const readInstalledVersion = () => (require('ssh2/package.json') as { version: string }).version;

/**
 * Refuses an ssh2 whose private fields are not the expected ones. Call before the first connection of a process.
 * @throws StartError
 */
export function requireKnownSsh2(version = readInstalledVersion(), read = readPrivateObjects): void {
  if (!ACCEPTED_VERSIONS.includes(version))
    throw new StartError(
      `The installed SSH library ssh2 has version ${version}, but Runward needs ${ACCEPTED_VERSIONS.join(' or ')}. ${REMEDY}`,
    );
  const field = findUnknownField(read);
  if (field !== null)
    throw new StartError(
      `The installed SSH library ssh2 ${version} was modified: ${field} is not as expected. ${REMEDY}`,
    );
}

const hasMethod = <T>(object: T, name: keyof T) => typeof object[name] === 'function';
const isNames = (value: unknown) => Array.isArray(value) && value.length > 0;

/** Every private field that this folder reads or replaces, with its expected value. */
export const FIELD_CHECKS = {
  'Client._callbacks': ({ client }) => Array.isArray(client._callbacks),
  'Client._chanMgr._channels': ({ openingChannel }) => typeof openingChannel === 'function',
  'Protocol.parse': ({ protocol }) => hasMethod(protocol, 'parse'),
  'Protocol.authPK': ({ protocol }) => hasMethod(protocol, 'authPK'),
  'Protocol.session': ({ protocol }) => hasMethod(protocol, 'session'),
  'Protocol.channelData': ({ protocol }) => hasMethod(protocol, 'channelData'),
  'Protocol.channelWindowAdjust': ({ protocol }) => hasMethod(protocol, 'channelWindowAdjust'),
  'Protocol._packetRW.read': ({ protocol }) =>
    hasMethod(protocol._packetRW.read, 'read') && hasMethod(protocol._packetRW.read, 'cleanup'),
  'Protocol._packetRW.write': ({ protocol: { _packetRW } }) =>
    hasMethod(_packetRW.write, 'alloc') &&
    hasMethod(_packetRW.write, 'finalize') &&
    typeof _packetRW.write.allocStart === 'number',
  'Protocol._offer.lists.kex.array': ({ protocol }) => isNames(protocol._offer.lists.kex.array),
  'Protocol._cipher': ({ protocol }) => typeof protocol._cipher === 'object',
  'Protocol._decipher.inSeqno': ({ decipher }) => decipher.inSeqno === 1,
  'Protocol._kex.type': ({ keyExchange }) => keyExchange.type === 'groupex',
  'Protocol._kex._step': ({ keyExchange }) => keyExchange._step === 1,
  'Protocol._kex._dh': ({ keyExchange }) => keyExchange._dh === null,
  'Protocol._kex._public': ({ keyExchange }) => keyExchange._public === null,
  'Channel.incoming': ({ channel: { incoming } }) =>
    incoming.window === SSH2_DEFAULT_WINDOW_BYTES && incoming.state === 'open',
  'Channel.outgoing': ({ channel: { outgoing } }) =>
    outgoing.id === SAMPLE_CHANNEL.id && outgoing.state === 'open' && outgoing.packetSize === SAMPLE_CHANNEL.packetSize,
  'Channel._callbacks': ({ channel }) => Array.isArray(channel._callbacks),
  'Channel._exit.code': ({ channel }) => 'code' in channel._exit && channel._exit.code === undefined,
  'Cipher._encKey': ({ aesGcm }) => Buffer.isBuffer(aesGcm.cipher._encKey),
  'Cipher._macKey': ({ aesCtr }) => Buffer.isBuffer(aesCtr.cipher._macKey),
  'Decipher._decipherKey': ({ aesGcm }) => Buffer.isBuffer(aesGcm.decipher._decipherKey),
  'Decipher._macKey': ({ aesCtr }) => Buffer.isBuffer(aesCtr.decipher._macKey),
  DEFAULT_CIPHER: ({ lists }) => isNames(lists.ciphers),
  DEFAULT_MAC: ({ lists }) => isNames(lists.macs),
  SUPPORTED_SERVER_HOST_KEY: ({ lists }) => isNames(lists.hostKeys) && !Object.isFrozen(lists.hostKeys),
} satisfies Readonly<Record<string, (objects: PrivateObjects) => boolean>>;

function findUnknownField(read: typeof readPrivateObjects): string | null {
  let objects: PrivateObjects;
  try {
    objects = read();
  } catch (error) {
    return `the start of a connection (${(error as Error).message})`;
  }
  const [unknown] =
    Object.entries(FIELD_CHECKS).find(([, isExpected]) => {
      try {
        return !isExpected(objects);
      } catch {
        return true;
      }
    }) ?? [];
  return unknown ?? null;
}
