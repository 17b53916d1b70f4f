import { Alert, Stack, Text } from '@mantine/core';
import { IconGitCompare } from '@tabler/icons-react';
import type { ApiProblem } from '../../../api/errors';
import { FormErrors } from '../../../ui/FormErrors';
import { Differences } from '../review/Differences';
import { OverlapNotice } from './OverlapNotice';

/** Why a run was not started, in the form that the reason asks for. */
export function StartRefusal({ problem, fieldErrors }: { problem: ApiProblem | null; fieldErrors: number }) {
  if (problem?.code === 'run_overlap') return <OverlapNotice problem={problem} />;
  if (problem?.code !== 'digest_changed') return <FormErrors problem={problem} fieldErrors={fieldErrors} />;
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconGitCompare aria-hidden />}
      title="What would run now is not what the dry run showed"
    >
      <Stack gap="sm">
        <Text>Nothing was started. Make another dry run and look at it, or start without holding it to this one.</Text>
        <Differences items={problem.differences} />
      </Stack>
    </Alert>
  );
}
