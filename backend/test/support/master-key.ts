import { parseMasterKey } from '../../src/common/crypto/master-key.js';

/** The master key of every test database; protects nothing. */
export const TEST_MASTER_KEY = parseMasterKey(Buffer.alloc(32, 7).toString('base64'));
