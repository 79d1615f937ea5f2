// The products that are for Linux alone have nothing in them on Apple's systems, where `import CoreBluetooth` finds the system's framework.
