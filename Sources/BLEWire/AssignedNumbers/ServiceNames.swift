extension AssignedNumberTable {
  /// Services (Assigned Numbers, 3.4.2).
  static let services = AssignedNumberTable(
    """
    1800 Generic Access
    1801 Generic Attribute
    1802 Immediate Alert
    1803 Link Loss
    1804 Tx Power
    1805 Current Time
    1806 Reference Time Update
    1807 Next DST Change
    1808 Glucose
    1809 Health Thermometer
    180A Device Information
    180D Heart Rate
    180E Phone Alert Status
    180F Battery
    1810 Blood Pressure
    1811 Alert Notification
    1812 Human Interface Device
    1813 Scan Parameters
    1814 Running Speed and Cadence
    1815 Automation IO
    1816 Cycling Speed and Cadence
    1818 Cycling Power
    1819 Location and Navigation
    181A Environmental Sensing
    181B Body Composition
    181C User Data
    181D Weight Scale
    181E Bond Management
    181F Continuous Glucose Monitoring
    1820 Internet Protocol Support
    1821 Indoor Positioning
    1822 Pulse Oximeter
    1823 HTTP Proxy
    1824 Transport Discovery
    1825 Object Transfer
    1826 Fitness Machine
    1827 Mesh Provisioning
    1828 Mesh Proxy
    1829 Reconnection Configuration
    183A Insulin Delivery
    183B Binary Sensor
    183C Emergency Configuration
    183D Authorization Control
    183E Physical Activity Monitor
    183F Elapsed Time
    1840 Generic Health Sensor
    1843 Audio Input Control
    1844 Volume Control
    1845 Volume Offset Control
    1846 Coordinated Set Identification
    1847 Device Time
    1848 Media Control
    1849 Generic Media Control
    184A Constant Tone Extension
    184B Telephone Bearer
    184C Generic Telephone Bearer
    184D Microphone Control
    184E Audio Stream Control
    184F Broadcast Audio Scan
    1850 Published Audio Capabilities
    1851 Basic Audio Announcement
    1852 Broadcast Audio Announcement
    1853 Common Audio
    1854 Hearing Access
    1855 Telephony and Media Audio
    1856 Public Broadcast Announcement
    1857 Electronic Shelf Label
    1858 Gaming Audio
    1859 Mesh Proxy Solicitation
    """)

  /// Declarations (Assigned Numbers, 3.6).
  static let declarations = AssignedNumberTable(
    """
    2800 Primary Service
    2801 Secondary Service
    2802 Include
    2803 Characteristic
    """)

  /// Descriptors (Assigned Numbers, 3.7).
  static let descriptors = AssignedNumberTable(
    """
    2900 Characteristic Extended Properties
    2901 Characteristic User Description
    2902 Client Characteristic Configuration
    2903 Server Characteristic Configuration
    2904 Characteristic Presentation Format
    2905 Characteristic Aggregate Format
    2906 Valid Range
    2907 External Report Reference
    2908 Report Reference
    2909 Number of Digitals
    290A Value Trigger Setting
    290B Environmental Sensing Configuration
    290C Environmental Sensing Measurement
    290D Environmental Sensing Trigger Setting
    290E Time Trigger Setting
    290F Complete BR-EDR Transport Block Data
    2910 Observation Schedule
    2911 Valid Range and Accuracy
    2912 IMD Trigger Setting
    """)

  /// A choice of the services that members of the Bluetooth SIG had assigned to them (Assigned Numbers, 3.11).
  static let members = AssignedNumberTable(
    """
    FCB2 Apple Find My
    FCF1 Google Fast Pair Messages
    FD44 Apple
    FD5A Samsung SmartTag
    FD6F Exposure Notification
    FD81 Apple
    FDCD Qingping
    FE07 Sonos
    FE08 Microsoft
    FE0F Signify
    FE25 Apple
    FE2C Google Fast Pair
    FE59 Nordic Semiconductor Secure DFU
    FE61 Logitech
    FE65 Molekule
    FE78 HP
    FE95 Xiaomi
    FE9F Google
    FEA0 Google
    FEAA Google Eddystone
    FEB7 Meta Platforms
    FEBE Bose
    FED8 Google Physical Web
    FEE0 Huami
    FEE7 Tencent
    FEED Tile
    FEF3 Google Nearby
    FFF6 Matter
    FFF9 FIDO2 Authenticator
    FFFA ASTM Remote ID
    FFFD FIDO Universal Second Factor Authenticator
    """)
}
