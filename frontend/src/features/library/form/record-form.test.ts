import { describe, expect, it } from 'vitest';
import { emptyScript, formOf, scriptOf, templateOf } from './record-form';

describe('the form of a script or template', () => {
  it('sends either the content or where it stands in a git source', () => {
    const source = { gitSourceId: 's', path: ' deploy/restart.sh ', ref: '' };
    expect(scriptOf({ ...emptyScript, name: 'a', source })).toEqual({
      ...{ name: 'a', description: '', content: '#!/bin/sh\n', interpreter: '/bin/sh' },
    });
    expect(scriptOf({ ...emptyScript, name: 'a', from: 'git', source })).toEqual({
      ...{ name: 'a', description: '', interpreter: '/bin/sh' },
      source: { gitSourceId: 's', path: 'deploy/restart.sh', ref: null },
    });
  });

  it('gives back what is stored', () => {
    const stored = {
      ...{ name: 'a', description: 'b', content: '' },
      source: { gitSourceId: 's', path: 'x', ref: 'main' },
    };
    expect(formOf(stored)).toMatchObject({ from: 'git', source: stored.source });
    expect(templateOf(formOf(stored))).toEqual({ name: 'a', description: 'b', source: stored.source });
    expect(formOf({ ...stored, source: null, content: 'c' })).toMatchObject({ from: 'here', content: 'c' });
  });
});
