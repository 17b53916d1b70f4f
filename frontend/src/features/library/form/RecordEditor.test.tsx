import { cleanup, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import { RecordEditor } from './RecordEditor';

const { answer } = fakeServer();
const FIRST = {
  ...{ id: 't1', name: 'motd', description: '', content: 'Welcome', source: null },
  ...{ revision: 1, version: 1 },
};
const SECOND = { ...FIRST, name: 'motd of the shop', revision: 2, version: 2 };

/** The button simulates a refetch that finds the revision of someone else. */
function Page() {
  const [record, setRecord] = useState(FIRST);
  return (
    <>
      <button type="button" onClick={() => setRecord(SECOND)}>
        refetch
      </button>
      <RecordEditor
        kind="template"
        record={record}
        pending={false}
        save={vi.fn()}
        reload={() => Promise.resolve(SECOND)}
      />
    </>
  );
}

async function show() {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role: 'operator', email: 'ana@example.test' });
  answer('get', '/api/git-sources', { items: [], nextCursor: null });
  const { user } = renderComponent(<Page />);
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
  await expect.poll(() => name.readOnly).toBe(false);
  return { user, name, refetch: () => user.click(screen.getByRole('button', { name: 'refetch' })) };
}

describe('the editor of a template, after someone else saved it', () => {
  it('keeps the edits, says so before they are saved, and can load the other revision', async () => {
    const { user, name, refetch } = await show();
    await user.type(name, '2');
    await refetch();
    expect(screen.getByRole('alert').textContent).toContain('Someone else saved revision 2.');
    expect(name.value).toBe('motd2');
    await user.click(screen.getByRole('button', { name: 'Load latest revision and discard my edits' }));
    await expect.poll(() => name.value).toBe('motd of the shop');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('shows the other revision at once if there are no edits', async () => {
    const { name, refetch } = await show();
    await refetch();
    await expect.poll(() => name.value).toBe('motd of the shop');
    expect(screen.getByText('Revision 2 saved')).toBeTruthy();
  });

  it('offers unsaved edits after a reload, and forgets them when they are discarded', async () => {
    const first = await show();
    await first.user.type(first.name, '2');
    await expect.poll(() => JSON.stringify(sessionStorage)).toContain('motd2');
    cleanup();
    const { user, name } = await show();
    expect(name.value).toBe('motd');
    await user.click(screen.getByRole('button', { name: 'Restore unsaved edits' }));
    await expect.poll(() => name.value).toBe('motd2');
    await user.click(screen.getByRole('button', { name: 'Discard changes' }));
    await expect.poll(() => sessionStorage.length).toBe(0);
  });
});
