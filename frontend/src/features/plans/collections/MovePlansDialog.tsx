import { Alert, Button, Stack, Text } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { toProblem } from '../../../api/errors';
import { useMovePlans } from '../../../api/queries/plans/plans';
import type { PlanSummary } from '../../../api/types';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { plural } from '../../../ui/format/format';
import { FormModal } from '../../../ui/forms/FormOverlay';

interface Props {
  plans: readonly PlanSummary[];
  onClose: () => void;
  /** Called when all plans were moved. */
  onMoved: () => void;
}

export function MovePlansDialog({ plans: given, onClose, onMoved }: Props) {
  const [plans] = useState(given);
  const [collectionId, setCollection] = useState<string | null>(null);
  const move = useMovePlans();
  const what = plans.length === 1 ? (plans[0]?.name ?? '') : plural(plans.length, 'plan');
  const submit = () =>
    move.mutate(
      { plans: plans.filter((plan) => plan.collectionId !== collectionId), collectionId },
      {
        onSuccess: (refused) => {
          if (refused.length > 0) return;
          notifications.show({ color: 'green', message: `Moved ${what}.` });
          onMoved();
        },
      },
    );
  const refused = move.data ?? [];
  return (
    <FormModal opened onClose={onClose} title={`Move ${what}`}>
      <Stack gap="md">
        <CollectionSelect
          label="Target collection"
          value={collectionId}
          onChange={(value: string | null) => {
            setCollection(value);
            move.reset();
          }}
          data-autofocus
        />
        {refused.length > 0 && (
          <Alert color="red" role="alert" title={`${plural(refused.length, 'plan')} could not be moved`}>
            {refused.map(({ id, name, error }) => (
              <Text key={id}>
                {name}: {toProblem(error).message}
              </Text>
            ))}
          </Alert>
        )}
        <DialogBar>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button loading={move.isPending} disabled={refused.length > 0} onClick={submit}>
            Move
          </Button>
        </DialogBar>
      </Stack>
    </FormModal>
  );
}
