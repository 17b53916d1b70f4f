import { ActionIcon, Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { IconAlertTriangle, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useUpdateGitSource } from '../../../api/queries/library/git-sources';
import type { GitSource } from '../../../api/types';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { DialogActions } from '../../../ui/dialogs/DialogActions';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { showErrorOnFields } from '../../../ui/forms/form-errors';
import {
  folderFieldOf,
  type FolderForm,
  folderFormOf,
  folderName,
  missingFolders,
  MAX_FOLDERS,
  releasedFolders,
  toFolders,
} from './folder-form';
import { ActionButton } from '../../../ui/page/ActionButton';

interface Props {
  source: GitSource;
  onClose: () => void;
}

const NEW_FOLDER: FolderForm['folders'][number] = { path: '', collectionId: null };

export function PlanFoldersDialog({ source: given, onClose }: Props) {
  const [source] = useState(given);
  const update = useUpdateGitSource();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const first = folderFormOf(source.planFolders);
  const form = useForm<FolderForm>({
    initialValues: first.folders.length > 0 ? first : { folders: [NEW_FOLDER] },
    validate: missingFolders,
  });
  const { folders } = form.values;
  const released = releasedFolders(source.planFolders, form.values);
  const submit = form.onSubmit((values) => {
    setProblem(null);
    update.mutate(
      { source, body: { planFolders: toFolders(values) } },
      {
        onSuccess: onClose,
        onError: (error) => setProblem(showErrorOnFields(form, error, folderFieldOf)),
      },
    );
  });
  return (
    <FormModal opened onClose={onClose} title="Plan folders" size="lg" closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text>
            Each YAML file in these folders becomes a plan and is updated with every commit. Plans are saved with your
            rights: files cannot refer to records that you cannot view or change. Anyone who can push to the repository
            changes plans in your name.
          </Text>
          {folders.map((_, index) => (
            <FolderFields key={index} form={form} index={index} />
          ))}
          {folders.length < MAX_FOLDERS && (
            <Group>
              <ActionButton icon={IconPlus} onClick={() => form.insertListItem('folders', NEW_FOLDER)}>
                Add folder
              </ActionButton>
            </Group>
          )}
          {released.length > 0 && (
            <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
              Plans of {released.map(folderName).join(', ')} become ordinary plans. You can edit them here, and they are
              no longer updated from files.
            </Alert>
          )}
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={update.isPending}>
            Save
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}

function FolderFields({ form, index }: { form: UseFormReturnType<FolderForm>; index: number }) {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap" role="group" aria-label={`Folder ${index + 1}`}>
      <TextInput
        label="Folder"
        placeholder="Root of the repository"
        flex={1}
        data-autofocus={index === 0 || undefined}
        {...form.getInputProps(`folders.${index}.path`)}
      />
      <CollectionSelect
        label="Collection"
        none="Choose a collection"
        withAsterisk
        flex={1}
        {...form.getInputProps(`folders.${index}.collectionId`)}
      />
      <ActionIcon
        variant="default"
        size="lg"
        mt={23}
        aria-label={`Remove folder ${index + 1}`}
        onClick={() => form.removeListItem('folders', index)}
      >
        <IconTrash size={15} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
