import { describe, expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '../../api/lists';
import { ACTIONS, changeText, VERBS } from './change-text';

describe('the sentence of an audit entry', () => {
  it('exists for each action', () => {
    const missing = AUDIT_ACTIONS.filter(
      (action) => ACTIONS[action] === undefined && VERBS[action.split('.')[1] ?? ''] === undefined,
    );
    expect(missing).toEqual([]);
  });

  it('has the type of the record', () => {
    expect(changeText('ssh_key.rotate')).toBe('rotated SSH key');
    expect(changeText('member.set_password')).toBe('set the password of');
  });

  it('keeps the words of an action that is no longer listed', () => {
    expect(changeText('old_record.old_verb')).toBe('old verb: old record');
  });
});
