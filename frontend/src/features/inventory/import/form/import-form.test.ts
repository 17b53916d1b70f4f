import { describe, expect, it } from 'vitest';
import type { ServerImport } from '../../../../api/types';
import { emptyForm, fileFault, formFromImport, formFaults, MAX_TEXT_BYTES, toRequest, withText } from './import-form';

const form = { ...emptyForm('e1'), content: '[web]\nweb-1\n', format: 'ansible-ini' as const };

describe('an import in its form', () => {
  it('is sent without what was left empty', () => {
    expect(toRequest({ ...form, username: ' ' })).toEqual({
      content: '[web]\nweb-1\n',
      format: 'ansible-ini',
      environmentId: 'e1',
    });
  });

  it('is sent with what was said, without spaces around names', () => {
    expect(toRequest({ ...form, sshKeyId: 'k', username: ' deploy ', source: ' netbox ' })).toMatchObject({
      sshKeyId: 'k',
      username: 'deploy',
      source: 'netbox',
    });
  });

  it('asks for faulty servers to be left out only where that was chosen', () => {
    expect(toRequest(form)).not.toHaveProperty('skipFaulty');
    expect(toRequest({ ...form, skipFaulty: true })).toMatchObject({ skipFaulty: true });
  });

  it('prunes only servers of a source, and names the limit only then', () => {
    const pruning = { ...form, prune: 'disable' as const, pruneLimitPercent: 5 };
    expect(toRequest(pruning)).not.toHaveProperty('prune');
    expect(toRequest({ ...pruning, source: 'netbox' })).toMatchObject({ prune: 'disable', pruneLimitPercent: 5 });
    expect(toRequest({ ...pruning, source: 'netbox', prune: 'no' })).not.toHaveProperty('pruneLimitPercent');
    expect(toRequest({ ...pruning, source: 'netbox', pruneLimitPercent: '' })).not.toHaveProperty('pruneLimitPercent');
  });

  it('names what is missing', () => {
    expect(Object.keys(formFaults(emptyForm()))).toEqual(['content', 'format', 'environmentId']);
    expect(formFaults({ ...form, content: ' \n' })).toHaveProperty('content');
    expect(formFaults(form)).toEqual({});
  });

  it('is limited by the size of the request, with escaped line ends', () => {
    expect(formFaults({ ...form, content: 'a'.repeat(MAX_TEXT_BYTES - 1000) })).toEqual({});
    expect(formFaults({ ...form, content: '\n'.repeat(MAX_TEXT_BYTES / 2) })).toHaveProperty('content');
    expect(formFaults({ ...form, content: 'x\n'.repeat(MAX_TEXT_BYTES / 2) }).content).toContain('4 MiB');
  });

  it('takes no file that is too large or no text', () => {
    expect(fileFault({ size: MAX_TEXT_BYTES + 1 }, '')).toContain('4 MiB');
    expect(fileFault({ size: 4 }, 'a\0b')).toBe('This is not a text file.');
    expect(fileFault({ size: 4 }, 'web-1')).toBeNull();
  });

  it('begins with the settings of an import that is to be done again', () => {
    const settings = { sshKeyId: 'k1', username: 'deploy', prune: 'remove', pruneLimitPercent: 30, skipFaulty: true };
    const before = { format: 'json', environmentId: 'e2', source: null, ...settings };
    expect(formFromImport(before as ServerImport)).toEqual({
      ...emptyForm('e2'),
      format: 'json',
      ...settings,
    });
  });

  it('guesses the format of what is typed until it is chosen by hand, and of each file', () => {
    expect(withText(emptyForm(), '[web]\n')).toMatchObject({ format: 'ansible-ini' });
    expect(withText(form, 'web-1')).toMatchObject({ format: 'ansible-ini' });
    const chosen = { ...form, format: 'json' as const, formatChosen: true };
    expect(withText(chosen, '[web]\n')).toEqual({ content: '[web]\n' });
    expect(withText(chosen, 'all:\n', 'inventory.yml')).toMatchObject({ format: 'ansible-yaml', formatChosen: false });
  });
});
