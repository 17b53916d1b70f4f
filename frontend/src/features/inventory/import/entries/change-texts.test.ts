import { describe, expect, it } from 'vitest';
import type { ImportAction, ImportEntry } from '../../../../api/types';
import { changeTexts } from './change-texts';

const entry = (action: ImportAction, changes: [string, string | null, string | null][]): ImportEntry => ({
  line: 2,
  name: 'web-1',
  action,
  serverId: null,
  reason: null,
  changes: changes.map(([field, before, after]) => ({ field, before, after })),
});
const nameOf = (id: string) => ({ e1: 'staging', e2: 'production' })[id] ?? '…';

describe('the changes of a server', () => {
  it('use the labels of the server form and names of environments', () => {
    const changed = entry('change', [
      ['hostname', '10.0.0.4', '10.0.0.5'],
      ['environmentId', 'e1', 'e2'],
      ['hostKeys', 'ssh-ed25519 SHA256:abc', null],
    ]);
    expect(changeTexts(changed, nameOf)).toEqual([
      { field: 'address', before: '10.0.0.4', after: '10.0.0.5' },
      { field: 'environment', before: 'staging', after: 'production' },
      { field: 'host keys', before: 'ssh-ed25519 SHA256:abc', after: null },
    ]);
  });

  it('of a new one leave out what goes without saying', () => {
    const created = entry('create', [
      ['name', null, 'web-1'],
      ['hostname', null, '10.0.0.5'],
      ['port', null, '22'],
      ['username', null, 'deploy'],
      ['environmentId', null, 'e1'],
      ['tags', null, 'group.web='],
      ['enabled', null, 'yes'],
      ['externalSource', null, 'netbox'],
      ['externalId', null, 'web-1'],
    ]);
    expect(changeTexts(created, nameOf).map(({ field, after }) => `${field}: ${after}`)).toEqual([
      'address: 10.0.0.5',
      'login: deploy',
      'tags: group.web=',
    ]);
  });

  it('of a new one say what is unusual', () => {
    const created = entry('create', [
      ['port', null, '2222'],
      ['enabled', null, 'no'],
      ['externalId', null, 'device-7'],
    ]);
    expect(changeTexts(created, nameOf).map(({ field }) => field)).toEqual(['port', 'enabled', 'external ID']);
  });

  it('keep the name of a field that is not known here', () => {
    expect(changeTexts(entry('change', [['jumps', null, 'bastion']]), nameOf)[0]?.field).toBe('jumps');
  });
});
