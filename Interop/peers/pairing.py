"""Pairing with Bumble: the settings of each side for a method, and Bumble's part of the dialogue."""

import asyncio
import functools
import pathlib
import secrets

from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, Service
from bumble.hci import Role
from bumble.pairing import OobData, PairingConfig, PairingDelegate
from bumble.smp import OobContext, OobLegacyContext

from . import deadline
from .methods import PASSKEY

PROFILE = pathlib.Path(__file__).resolve().parent.parent / 'profiles' / 'protected.json'
SECRET = b'secret'

# What Bumble can show and type.
CAPABILITIES = {
    'no-input-no-output': PairingDelegate.NO_OUTPUT_NO_INPUT,
    'keyboard-only': PairingDelegate.KEYBOARD_INPUT_ONLY,
    'display-only': PairingDelegate.DISPLAY_OUTPUT_ONLY,
    'display-yes-no': PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
}


class Delegate(PairingDelegate):
    """Bumble's user."""

    def __init__(self, io_capability):
        super().__init__(io_capability)
        # What our side shows, for Bumble's user to type.
        self.passkey = asyncio.Queue()
        self.compared = asyncio.Queue()

    async def generate_passkey(self):
        return PASSKEY

    async def get_number(self):
        return int(await deadline.within(deadline.STEP, 'the passkey', self.passkey.get()))

    async def compare_numbers(self, number, digits):
        self.compared.put_nowait(f'{number:0{digits}}')
        return True


class BumblePairing:
    """Makes a device of Bumble pair by one method, and holds what goes to and fro by another way."""

    def __init__(self, device, method, folder):
        self.device = device
        self.method = method
        self.delegate = Delegate(CAPABILITIES[method.theirs])
        self.context = OobContext()
        self.key = OobLegacyContext(secrets.token_bytes(16))
        self.theirs, self.ours = folder / 'theirs.oob', folder / 'ours.oob'
        self.endings = asyncio.Queue()
        device.pairing_config_factory = self._configuration
        device.on('connection', self._connected)
        if method.word == 'out-of-band':
            shared = OobData(shared_data=self.context.share()) if method.is_secure else OobData(legacy_context=self.key)
            self.theirs.write_text(f'# of Bumble\n{bytes(shared.to_ad()).hex()}\n')

    @property
    def options(self):
        """The options of our tool."""
        if self.method.name == 'passkey-of-theirs':
            return [*self.method.ours, '--passkey', str(PASSKEY)]
        if self.method.word != 'out-of-band':
            return self.method.ours
        made = ['--make-oob', str(self.ours)] if self.method.is_secure else []
        return [*self.method.ours, '--oob', str(self.theirs), *made]

    def _connected(self, connection):
        connection.on(connection.EVENT_PAIRING, functools.partial(self._paired, connection))
        connection.on(connection.EVENT_PAIRING_FAILURE, self.endings.put_nowait)

    def _paired(self, connection, keys):
        if connection.role == Role.PERIPHERAL:
            # Of legacy pairing's two keys Bumble as a peripheral keeps its own for the role of the central, and would
            # answer with the other: links are encrypted with the key that the peripheral has handed out.
            keys.ltk_central, keys.ltk_peripheral = keys.ltk_peripheral, keys.ltk_central
        self.endings.put_nowait(None)

    def _configuration(self, connection):
        oob = None
        if self.method.word == 'out-of-band':
            peer = None
            if self.method.is_secure:
                lines = [line for line in self.ours.read_text().splitlines() if not line.startswith('#')]
                peer = OobData.from_ad(AdvertisingData.from_bytes(bytes.fromhex(''.join(lines)))).shared_data
            oob = PairingConfig.OobConfig(
                our_context=self.context if self.method.is_secure else None,
                peer_data=peer,
                legacy_context=None if self.method.is_secure else self.key,
            )
        return PairingConfig(
            sc=self.method.is_secure,
            mitm=self.method.is_authenticated,
            delegate=self.delegate,
            # The address that it is on the air by; without this Bumble names its controller's public one.
            identity_address_type=PairingConfig.AddressType.RANDOM,
            oob=oob,
        )

    async def ended(self):
        """The end of the next pairing, which is to be a good one."""
        reason = await deadline.within(deadline.STEP, 'the end of the pairing', self.endings.get())
        assert reason is None, f'Bumble: pairing failed: {reason}'

    async def forget(self):
        """Bumble loses its keys."""
        await self.device.keystore.delete_all()


class ProtectedPeripheral:
    """A peripheral of Bumble's whose one value is read over encrypted links only."""

    NAME = 'Guarded'

    def __init__(self, device, is_authenticated):
        self.device = device
        permissions = Characteristic.Permissions.READABLE | (
            Characteristic.Permissions.READ_REQUIRES_AUTHENTICATION
            if is_authenticated
            else Characteristic.Permissions.READ_REQUIRES_ENCRYPTION
        )
        device.add_services([Service('FFF0', [Characteristic('FFF3', Characteristic.Properties.READ, permissions, SECRET)])])

    async def advertise(self):
        data = AdvertisingData(
            [
                (AdvertisingData.Type.FLAGS, bytes([0x06])),
                (AdvertisingData.Type.COMPLETE_LOCAL_NAME, self.NAME.encode()),
            ]
        )
        await deadline.within(
            deadline.STEP,
            'advertising',
            self.device.start_advertising(
                auto_restart=True,
                advertising_data=bytes(data),
                advertising_interval_min=50,
                advertising_interval_max=50,
            ),
        )
