import type { Server } from '../../../../api/types';

export interface RowRequests {
  environmentName: (id: string) => string;
  onReview: (id: string) => void;
  onEdit: (id: string) => void;
  onDelete: (server: Server) => void;
  onDiagnose: (server: Server) => void;
  onCheck: (server: Server) => void;
  checkingIds: ReadonlySet<string>;
  /** Why the member can't use these actions; null: the member can. Computed once for all rows. */
  refusal: string | null;
}
