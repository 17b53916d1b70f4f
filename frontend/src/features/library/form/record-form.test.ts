import { describe, expect, it } from 'vitest';
import { emptyScript, formOf, scriptOf, templateOf, withoutByteOrderMark, withUnixLineEnds } from './record-form';

describe('the form of a script or template', () => {
  it('sends either the content or its git source', () => {
    const source = { gitSourceId: 's', path: ' deploy/restart.sh ', ref: '' };
    expect(scriptOf({ ...emptyScript, name: 'a', source })).toEqual({
      ...{ name: 'a', description: '', content: '#!/bin/sh\n', interpreter: null },
    });
    expect(scriptOf({ ...emptyScript, name: 'a', from: 'git', source })).toEqual({
      ...{ name: 'a', description: '', interpreter: null },
      source: { gitSourceId: 's', path: 'deploy/restart.sh', ref: null },
    });
  });

  it('repairs a byte order mark and Windows line ends, and nothing else', () => {
    expect(withoutByteOrderMark('\uFEFFa\uFEFF\r\n')).toBe('a\uFEFF\r\n');
    expect(withUnixLineEnds('a\r\nb\rc\n\r\n')).toBe('a\nb\rc\n\n');
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
