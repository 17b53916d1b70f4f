import { Alert, Stack, Text } from '@mantine/core';
import { IconGitCompare } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { Differences } from '../review/Differences';
import { AuthorsNotice } from '../conflicts/AuthorsNotice';
import { OverlapNotice } from '../conflicts/OverlapNotice';

interface Props {
  problem: ApiProblem | null;
  fieldErrors: number;
  pending: boolean;
  onQueue: () => void;
  /** Starts the run although it contains content of authors without rights in the environment. */
  onAccept: (acceptAuthors: string) => void;
}

export function StartRefusal(props: Props) {
  const { problem } = props;
  const place = useRef<HTMLDivElement>(null);
  // Scrolls to the message: in a long form it may be outside the visible part.
  useEffect(() => {
    if (problem) place.current?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
  return (
    <div ref={place}>
      <Refusal {...props} />
    </div>
  );
}

function Refusal({ problem, fieldErrors, pending, onQueue, onAccept }: Props) {
  if (problem?.code === 'run_overlap') return <OverlapNotice problem={problem} pending={pending} onQueue={onQueue} />;
  if (problem && problem.authors.length > 0)
    return <AuthorsNotice problem={problem} pending={pending} onAccept={onAccept} />;
  if (problem?.code !== 'digest_changed') return <FormErrors problem={problem} fieldErrors={fieldErrors} />;
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconGitCompare aria-hidden />}
      title="The content has changed since the dry run"
    >
      <Stack gap="sm">
        <Text>Nothing was started. Make a new dry run, or start the current plan from its page.</Text>
        <Differences items={problem.differences} more={problem.moreDifferences} />
      </Stack>
    </Alert>
  );
}
