import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderComponent } from '../../../../test/render';
import type { Execution } from '../../../api/types';
import { RunVariables } from './RunVariables';

describe('the variables of a run', () => {
  it('have their sources, unless an older version started the run', () => {
    const run = {
      variables: { RELEASE: '2.4.1', ITEMS: ['a', 'b'], OLD: 1 },
      variableSources: { RELEASE: 'schedule', ITEMS: 'plan' },
    } as unknown as Execution;
    renderComponent(<RunVariables run={run} />);
    expect(screen.getByRole('group', { name: 'Variables' }).textContent).toBe(
      'RELEASE=2.4.1 (schedule)ITEMS=a, b (plan default)OLD=1',
    );
  });
});
