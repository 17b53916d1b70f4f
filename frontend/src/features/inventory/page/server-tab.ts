import type { ComponentType } from 'react';
import type { Server } from '../../../api/types';

export interface ServerTabProps {
  server: Server;
  /** Why the member can not change the server although the role suffices; null: nothing. */
  unless: string | null;
  onDiagnose: () => void;
}

export interface ServerTab {
  /** In the URL. */
  value: string;
  label: string;
  content: ComponentType<ServerTabProps>;
}
