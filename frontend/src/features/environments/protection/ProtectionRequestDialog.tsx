import { Button, Checkbox, List, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { useState } from 'react';
import { useRequestProtectionChange } from '../../../api/queries/inventory/protection-changes';
import type { CreateProtectionChangeRequest, Environment, ProtectionSetting } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { changeTexts } from '../../../ui/environments/change-texts';

interface Props {
  environment: Environment;
  settings: NonNullable<CreateProtectionChangeRequest['settings']>;
  onDone: (overridden: boolean) => void;
  onClose: () => void;
}

export function ProtectionRequestDialog({ environment, settings, onDone, onClose }: Props) {
  const request = useRequestProtectionChange(environment.id);
  const [reason, setReason] = useState('');
  const [override, setOverride] = useState(false);
  const [typedName, setTypedName] = useState('');
  const texts = changeTexts(
    Object.entries(settings).flatMap(([setting, to]) =>
      to === null ? [] : [{ setting: setting as ProtectionSetting, to }],
    ),
  );
  const ready = reason.trim() !== '' && (!override || typedName === environment.name);
  const send = () =>
    request.mutate({ reason, settings, override: override || undefined }, { onSuccess: () => onDone(override) });
  return (
    <FormModal opened onClose={onClose} title="This weakens the protection">
      <Stack gap="md">
        <List>
          {texts.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
        <Text>
          The change takes effect when another approver agrees. If there is no other approver, you can apply it after a
          delay.
        </Text>
        <Textarea
          label="Reason"
          description="Shown to the approvers and in the audit trail."
          withAsterisk
          autosize
          minRows={1}
          maxRows={5}
          maxLength={2000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Checkbox
          label="Emergency: take effect now, without a second person"
          description="Sent to all subscribers of this environment, and shown on the environment and its runs for 7 days."
          checked={override}
          onChange={(event) => setOverride(event.currentTarget.checked)}
        />
        {override && (
          <TextInput
            label={`Type "${environment.name}" to confirm`}
            value={typedName}
            onChange={(event) => setTypedName(event.currentTarget.value)}
          />
        )}
        {request.error && <ErrorPanel error={request.error} />}
        <DialogBar>
          <Button variant="default" onClick={onClose} disabled={request.isPending}>
            Cancel
          </Button>
          <Button color={override ? 'red' : undefined} loading={request.isPending} disabled={!ready} onClick={send}>
            {override ? 'Override protection' : 'Request change'}
          </Button>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
