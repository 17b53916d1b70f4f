import type { Server } from '../../../api/types';
import { DoctorDialog } from '../doctor/DoctorDialog';
import { EnrolDialog } from '../enrolment/EnrolDialog';
import { DeleteServerDialog } from '../form/DeleteServerDialog';
import { ServerDrawer } from '../form/ServerDrawer';
import { HostKeyDialog } from '../host-key/HostKeyDialog';
import type { ServerSearch } from './filters/server-filters';

export type OpenDialog = { what: 'delete' | 'doctor'; server: Server } | { what: 'review'; id: string } | null;

/** URL of the page: filters, and the open form. */
export interface ServerPageSearch extends ServerSearch {
  edit?: string;
  enrol?: 'new';
}

interface Props {
  search: ServerPageSearch;
  rows: readonly Server[];
  dialog: OpenDialog;
  onChange: (change: ServerPageSearch) => void;
  /** Called with a server that was created, or whose host key was accepted. */
  onCheck: (server: Server) => void;
  onClose: () => void;
}

/** Open dialogs about one server. */
export function ServerDialogs(props: Props) {
  const { search, rows, dialog, onChange, onCheck, onClose } = props;
  const { environment, edit, enrol } = search;
  const reviewed = dialog?.what === 'review' ? rows.find(({ id }) => id === dialog.id) : undefined;
  return (
    <>
      {edit && (
        <ServerDrawer
          key={edit}
          id={edit}
          environmentId={environment}
          onClose={() => onChange({ edit: undefined })}
          onSaved={(server) => {
            onChange({ edit: undefined });
            if (edit === 'new') onCheck(server);
          }}
        />
      )}
      {enrol && <EnrolDialog environmentId={environment} onClose={() => onChange({ enrol: undefined })} />}
      {reviewed && (
        <HostKeyDialog
          key={reviewed.id}
          server={reviewed}
          onAccepted={() => {
            onClose();
            onCheck(reviewed);
          }}
          onClose={onClose}
        />
      )}
      {dialog?.what === 'doctor' && <DoctorDialog server={dialog.server} onClose={onClose} />}
      {dialog?.what === 'delete' && <DeleteServerDialog server={dialog.server} onDeleted={onClose} onClose={onClose} />}
    </>
  );
}
