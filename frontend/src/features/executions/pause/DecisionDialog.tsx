import { Button, Stack, Text, Textarea } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { useState } from 'react';
import { useDecide } from '../../../api/queries/runs/steering';
import type { DecisionAction, Execution, Pause } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { decisionOf, eligibleHosts, preselectedHosts, type StepHost } from './host-choice';
import { HostPicker } from './HostPicker';
import { choiceText, takesHosts } from '../run/pause-text';

interface Props {
  run: Execution;
  pause: Pause;
  action: DecisionAction;
  hosts: readonly StepHost[];
  onClose: () => void;
}

export function DecisionDialog({ run, pause, action, hosts, onClose }: Props) {
  const decide = useDecide(run.id);
  const [comment, setComment] = useState('');
  const [chosenHosts, setChosenHosts] = useState(() => preselectedHosts(action, hosts));
  const { label, sentence, color } = choiceText(action, pause.reason);
  const choices = takesHosts(action) ? eligibleHosts(action, hosts) : [];
  const none = takesHosts(action) && action !== 'exclude_hosts' && chosenHosts.length === 0;
  const submit = () =>
    decide.mutate(
      { ...decisionOf(pause.stepKey ?? '', action, chosenHosts, hosts, comment), pauseSince: pause.since },
      { onSuccess: onClose },
    );
  return (
    <FormModal opened onClose={onClose} title={label} closeOnClickOutside={false}>
      <Stack gap="md">
        <Text>{sentence}</Text>
        {choices.length > 0 && (
          <HostPicker
            label={action === 'exclude_hosts' ? 'Also exclude' : 'Hosts'}
            hosts={choices}
            chosen={chosenHosts}
            onChange={setChosenHosts}
          />
        )}
        <Textarea
          label="Comment"
          description="Shown on the run and in the audit trail."
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={2000}
        />
        {Boolean(decide.error) && <ErrorPanel error={decide.error} />}
        <DialogBar>
          {none && <Text size="xs">Choose at least one host.</Text>}
          <Button variant="default" onClick={onClose} disabled={decide.isPending} data-autofocus>
            Cancel
          </Button>
          <Button color={color} loading={decide.isPending} disabled={none} onClick={submit}>
            {label}
          </Button>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
