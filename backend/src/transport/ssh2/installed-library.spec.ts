import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { StartError } from '../../common/database/start-error.js';
import { FIELD_CHECKS, requireKnownSsh2 } from './installed-library.js';
import { readPrivateObjects } from './private-objects.js';

const SOURCES = path.resolve(import.meta.dirname, '../..');
/** Names in `private-fields.ts`, and files of ssh2 that are not part of its interface. */
const PRIVATE_NAME =
  /\b_(?:protocol|chanMgr|channels|packetRW|offer|cipher|decipher|kex|encKey|decipherKey|macKey|callbacks|exit)\b|\binSeqno\b|ssh2\/lib/;

/** Path of the value that each check reads. */
const VALUE_BY_CHECK: Readonly<Record<keyof typeof FIELD_CHECKS, string>> = {
  'Client._callbacks': 'client._callbacks',
  'Client._chanMgr._channels': 'openingChannel',
  'Protocol.parse': 'protocol.parse',
  'Protocol.authPK': 'protocol.authPK',
  'Protocol.session': 'protocol.session',
  'Protocol.channelData': 'protocol.channelData',
  'Protocol.channelWindowAdjust': 'protocol.channelWindowAdjust',
  'Protocol._packetRW.read': 'protocol._packetRW.read.read',
  'Protocol._packetRW.write': 'protocol._packetRW.write.finalize',
  'Protocol._offer.lists.kex.array': 'protocol._offer.lists.kex.array',
  'Protocol._cipher': 'protocol._cipher',
  'Protocol._decipher.inSeqno': 'decipher.inSeqno',
  'Protocol._kex.type': 'keyExchange.type',
  'Protocol._kex._step': 'keyExchange._step',
  'Protocol._kex._dh': 'keyExchange._dh',
  'Protocol._kex._public': 'keyExchange._public',
  'Channel.incoming': 'channel.incoming.window',
  'Channel.outgoing': 'channel.outgoing.packetSize',
  'Channel._callbacks': 'channel._callbacks',
  'Channel._exit.code': 'channel._exit',
  'Cipher._encKey': 'aesGcm.cipher._encKey',
  'Cipher._macKey': 'aesCtr.cipher._macKey',
  'Decipher._decipherKey': 'aesGcm.decipher._decipherKey',
  'Decipher._macKey': 'aesCtr.decipher._macKey',
  DEFAULT_CIPHER: 'lists.ciphers',
  DEFAULT_MAC: 'lists.macs',
  SUPPORTED_SERVER_HOST_KEY: 'lists.hostKeys',
};

function omitValue<T extends object>(object: T, [name = '', ...rest]: readonly string[]): T {
  const value: unknown = rest.length === 0 ? undefined : omitValue(object[name as keyof T] as object, rest);
  return Object.create(object, { [name]: { value } }) as T;
}

describe('the installed ssh2', () => {
  it('is accepted', () => {
    expect(() => requireKnownSsh2()).not.toThrow();
  });

  it.each(Object.entries(FIELD_CHECKS))('has the expected %s', (_, isExpected) => {
    expect(isExpected(readPrivateObjects())).toBe(true);
  });

  it.each(Object.entries(VALUE_BY_CHECK))('is refused without %s', (name, value) => {
    const read = () => omitValue(readPrivateObjects(), value.split('.'));
    expect(() => requireKnownSsh2('1.17.0', read)).toThrow(
      new StartError(
        `The installed SSH library ssh2 1.17.0 was modified: ${name} is not as expected. Run "npm ci" in the folder of Runward, which installs the version of package-lock.json.`,
      ),
    );
  });

  it('is refused with another version', () => {
    expect(() => requireKnownSsh2('1.18.0')).toThrow(
      /^The installed SSH library ssh2 has version 1\.18\.0, but Runward needs 1\.17\.0\. Run "npm ci"/,
    );
  });

  it('is refused if it cannot start a connection', () => {
    const read = () => {
      throw new Error('x is not a function');
    };
    expect(() => requireKnownSsh2('1.17.0', read)).toThrow(/the start of a connection \(x is not a function\)/);
  });

  it('has no private field that another folder names', async () => {
    const files = await readdir(SOURCES, { recursive: true });
    const others = files.filter((file) => /(?<!\.spec)\.ts$/.test(file) && !file.startsWith('transport/ssh2/'));
    expect(others.length).toBeGreaterThan(500);
    const found = await Promise.all(
      others.map(async (file) => (PRIVATE_NAME.test(await readFile(path.join(SOURCES, file), 'utf8')) ? [file] : [])),
    );
    expect(found.flat()).toEqual([]);
  });
});
