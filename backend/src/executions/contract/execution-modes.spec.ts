import { expect, it } from '@jest/globals';
import { RUN_MODES } from '../../environments/environments.dto.js';
import { EXECUTION_MODES } from '../lifecycle/statuses.js';

it('an environment can list every mode in which a run can be started', () => {
  expect(RUN_MODES).toEqual(expect.arrayContaining([...EXECUTION_MODES]));
});
