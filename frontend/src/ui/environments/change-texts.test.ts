import { describe, expect, it } from 'vitest';
import { changeTexts } from './change-texts';

describe('changeTexts', () => {
  it('describes the effect of each setting', () => {
    expect(changeTexts([{ setting: 'protected', to: false }])).toEqual(['Runs no longer need approval']);
  });
});
