import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { canonicalAddress } from './host-address.js';

const SPELLINGS = [
  ...['web', 'WEB.', 'Web-1.example.com', 'web-1.example.com.', '10.0.0.5', '10.0.0.5.', '10.0.0.50', 'web:1', '::1]'],
  ...['::1', '[::1]', '0:0:0:0:0:0:0:1', '::0001', '::2', '::', '0::0', '::1.2.3.4', '::102:304', '1::2::3', '[::1'],
  ...['::ffff:10.0.0.5', '::FFFF:a00:5', '[::ffff:10.0.0.5]', '0:0:0:0:0:ffff:0a00:0005', '::ffff:0:1', '0.0.0.1'],
  ...['2001:DB8:0:0::1', '2001:db8::1', '2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1', '::fffe:10.0.0.5', '[]', '[]:'],
  ...[
    'fe80::1',
    'fe80::1%eth0',
    'FE80:0:0:0:0:0:0:1%ETH0',
    '[fe80::1%eth0]',
    'fe80::1%eth1',
    '64:ff9b::10.0.0.5',
    '%:',
  ],
  ...[
    '::1/128',
    '::1%',
    ':',
    '::ffff:10.0.0.256',
    '2001:db8::g',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7::',
  ],
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the database', () => {
  it('takes the same addresses for one host as the guard does', async () => {
    const rows = await database.query<{ spelling: string; text: string }>(
      'select spelling, canonical_address(spelling) as text from unnest($1::text[]) as spelling',
      [SPELLINGS],
    );
    expect(rows).toHaveLength(SPELLINGS.length);
    const alike = (textOf: (spelling: string) => string | undefined) =>
      SPELLINGS.flatMap((one) =>
        SPELLINGS.filter((other) => textOf(one) === textOf(other)).map((other) => `${one} ${other}`),
      );
    const texts = new Map(rows.map(({ spelling, text }) => [spelling, text]));
    expect(alike((spelling) => texts.get(spelling))).toEqual(alike(canonicalAddress));
    expect(alike(canonicalAddress)).toContain('::ffff:10.0.0.5 10.0.0.5');
  });
});
