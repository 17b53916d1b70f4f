import { parseMasterKey } from '../../src/common/crypto/master-key.js';

export const TEST_MASTER_KEY = parseMasterKey(Buffer.alloc(32, 7).toString('base64'));
