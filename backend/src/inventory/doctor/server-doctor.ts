import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { getListeningTimeMs } from '../../transport/listening-time.js';
import { type ServerContactData, type ContactFinding, ServerContacts } from '../checks/server-contact.js';
import {
  toConnectionFailedVerdict,
  toHostKeyVerdict,
  DIAGNOSIS_STEP_BY_STAGE,
  toStageVerdict,
} from './connection-advice.js';
import { Diagnosis, toOkVerdict } from './diagnosis.js';
import { type DiagnosisView, toDiagnosisView } from './diagnosis.view.js';
import { examineHost } from './host-examination.js';

/**
 * Uses the connection path of a run, and reports the duration or the obstacle of each part. It connects by the same
 * rules as a check, and its findings are stored like those of a check.
 */
@Injectable()
export class ServerDoctor {
  constructor(private readonly contacts: ServerContacts) {}

  /** @throws Problem 404; 403 `grant_required` */
  async diagnose(caller: Principal, id: string): Promise<DiagnosisView> {
    const contact = await this.contacts.loadContact(caller, id);
    const at = new Date().toISOString();
    const diagnosis = new Diagnosis(getListeningTimeMs);
    const finding = await this.contactServer(contact, diagnosis);
    const step = diagnosis.current;
    if (finding.error && step) diagnosis.concludeStep(toConnectionFailedVerdict(step, finding.error, contact));
    else if (finding.state !== 'reachable' && finding.state !== 'no_commands')
      diagnosis.concludeStep(toHostKeyVerdict(finding));
    await this.contacts.storeFinding(caller, contact, finding, 'server.diagnose');
    return toDiagnosisView(contact.server.id, at, diagnosis.steps());
  }

  private contactServer(contact: ServerContactData, diagnosis: Diagnosis): Promise<ContactFinding> {
    const { username } = contact.server;
    return this.contacts.contactHost(contact, {
      onStage: (stage, detail) => {
        if (diagnosis.current === DIAGNOSIS_STEP_BY_STAGE[stage])
          diagnosis.concludeStep(toStageVerdict(stage, detail, contact));
      },
      onSignedIn: (connection) => {
        diagnosis.concludeStep(toOkVerdict(`The host accepted the login of ${username} with the server's key.`));
        return examineHost(connection, username, diagnosis);
      },
    });
  }
}
