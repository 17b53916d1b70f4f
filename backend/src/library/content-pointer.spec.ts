import { describe, expect, it } from '@jest/globals';
import { findContentPointer, describePointer } from './content-pointer.js';

const LFS =
  'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n';

describe('a pointer file', () => {
  it.each([
    ['a Git LFS pointer', 12_345, LFS],
    ['a Git LFS pointer', 12_345, LFS.replaceAll('\n', '\r\n')],
    ['a Git LFS pointer', 12_345, LFS.replace('git-lfs', 'hawser')],
    ['a Git LFS pointer', 12_345, LFS.replace('\noid', '\next-0-foo sha256:ab\noid')],
    ['a Git LFS pointer', null, 'version https://git-lfs.github.com/spec/v1\n'],
    ['a git-annex pointer', 31_390, '/annex/objects/SHA256E-s31390--f50d7ac4.mp3\n'],
    ['a git-annex pointer', 7, '../../.git/annex/objects/zX/3p/MD5E-s7-m1234--ab/MD5E-s7-m1234--ab'],
    ['a git-annex pointer', null, '/annex/objects/URL--http&c%%example.test%a'],
    ['a git-fat pointer', 99, `#$# git-fat ${'a'.repeat(40)}                   99\n`],
    ['encrypted by git-crypt', null, `\0GITCRYPT\0${'\x01'.repeat(200)}`],
  ])('is recognized: %s of %j bytes', (kind, size, content) => {
    expect(findContentPointer(Buffer.from(content))).toEqual({ kind, size });
  });

  it.each([
    '',
    ' ' + LFS,
    `# ${LFS}`,
    'version https://git-lfs.github.com/spec/v10\n',
    'annex/objects are kept here\n',
    'GITCRYPT',
    '#!/bin/sh\ncat /annex/objects/x\n',
  ])('is not recognized in: %j', (content) => {
    expect(findContentPointer(Buffer.from(content))).toBeNull();
  });

  it('is not recognized in a long file that begins like one', () => {
    expect(findContentPointer(Buffer.from(LFS + 'x\n'.repeat(20_000)))).toBeNull();
  });

  it('is described with the size of the file', () => {
    expect(describePointer('a.bin', { kind: 'a Git LFS pointer', size: 12_345 })).toBe(
      'a.bin is a Git LFS pointer: its content (12345 bytes) is not in the repository. Commit the file itself, or make the hosts download it.',
    );
  });
});
