import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeServer } from '../../../test/fake-server';
import { renderComponent } from '../../../test/render';
import { FormModal } from './FormOverlay';
import { useFormDraft } from './useFormDraft';

const server = fakeServer();
const KEY = 'runward.draft.m1.thing.new';
const stored = () => JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as { values: object } | null;

function Form({ onClose }: { onClose: () => void }) {
  const form = useForm({ initialValues: { name: '', token: '' } });
  const { token: _, ...values } = form.values;
  const draft = useFormDraft(form, { name: 'thing.new', values });
  const save = () => {
    draft.end();
    onClose();
  };
  return (
    <>
      {draft.notice}
      <TextInput label="Name" {...form.getInputProps('name')} />
      <TextInput label="Token" {...form.getInputProps('token')} />
      <button type="button" onClick={save}>
        Save
      </button>
    </>
  );
}

function Dialog() {
  const [opened, setOpened] = useState(true);
  if (!opened) return <p>Closed</p>;
  return (
    <FormModal opened onClose={() => setOpened(false)} title="New thing" transitionProps={{ duration: 0 }}>
      <Form onClose={() => setOpened(false)} />
    </FormModal>
  );
}

describe('the draft of a form', () => {
  beforeEach(() => {
    sessionStorage.clear();
    server.answer('get', '/api/auth/me', { id: 'm1', role: 'operator' });
  });

  it('keeps the typed text without secrets, and offers it in the next form', async () => {
    const { user } = renderComponent(<Dialog />);
    await user.type(screen.getByLabelText('Name'), 'web');
    await user.type(screen.getByLabelText('Token'), 'not for the storage');
    await waitFor(() => expect(stored()?.values).toEqual({ name: 'web' }));
    expect(sessionStorage.getItem(KEY)).not.toContain('not for the storage');
  });

  it('is restored on request', async () => {
    sessionStorage.setItem(KEY, JSON.stringify({ version: 0, values: { name: 'web' } }));
    const { user } = renderComponent(<Dialog />);
    await user.click(await screen.findByRole('button', { name: 'Restore unsaved edits' }));
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('web');
    expect(screen.queryByRole('button', { name: 'Restore unsaved edits' })).toBeNull();
  });

  it('is deleted when the form is saved', async () => {
    const { user } = renderComponent(<Dialog />);
    await user.type(screen.getByLabelText('Name'), 'web');
    await waitFor(() => expect(stored()).not.toBeNull());
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Closed');
    expect(stored()).toBeNull();
  });

  it('is deleted when the edits are discarded', async () => {
    const { user } = renderComponent(<Dialog />);
    await user.type(screen.getByLabelText('Name'), 'web');
    await waitFor(() => expect(stored()).not.toBeNull());
    await user.keyboard('{Escape}');
    await user.click(await screen.findByRole('button', { name: 'Discard edits' }));
    await screen.findByText('Closed');
    expect(stored()).toBeNull();
  });
});
