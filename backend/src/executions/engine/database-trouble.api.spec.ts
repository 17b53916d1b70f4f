import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

let lab: RunLab;
const sql = (text: string, values?: unknown[]) => lab.runward.database.query<{ tries: number }>(text, values);
const tries = async (): Promise<number> => (await sql('select last_value::int as tries from tried'))[0]?.tries ?? 0;

const refuse = (code: string) => sql('update trouble set code = $1', [code]);
const recover = () => sql('update trouble set code = null');

beforeAll(async () => {
  lab = await startRunLab();
  await lab.runward.worker();
  await sql(`
    create table trouble (code text);
    insert into trouble values (null);
    create sequence tried;
    grant select on trouble to public;
    grant usage on sequence tried to public;
    create function make_trouble() returns trigger language plpgsql as $$
      declare c text := (select code from trouble);
      begin
        if c is not null then
          perform nextval('tried');
          raise exception 'trouble' using errcode = c;
        end if;
        return new;
      end $$;
    create trigger trouble before insert on output_chunks for each row execute function make_trouble();
  `);
});
afterAll(() => lab.close());

describe('a database that rejects writes it accepted a moment ago', () => {
  it.each([
    ['its disk is full', '53100'],
    ['it has no memory left', '53200'],
    ['two units waited for each other', '40P01'],
    ['it is a standby now', '25006'],
  ])('delays a run and does not fail it: %s', async (_, code) => {
    const before = await tries();
    await refuse(code);
    const { id } = await lab.start(await lab.plan([`echo up; sleep 0.3; echo done`]));
    await eventually(
      'it was refused several times',
      async () => (await tries()) > before + 1 || (await lab.get(id)).finished,
    );
    await recover();
    expect(await lab.settled(id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    expect(await lab.text(id, lab.servers[0]?.id ?? '')).toBe('up\ndone\n');
  });
});
