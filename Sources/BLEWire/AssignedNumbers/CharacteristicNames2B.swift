extension AssignedNumberTable {
  /// Characteristics 0x2B00 and up (Assigned Numbers, 3.8).
  static let characteristics2B = AssignedNumberTable(
    """
    2B00 Luminous Flux Range
    2B01 Luminous Intensity
    2B02 Mass Flow
    2B03 Perceived Lightness
    2B04 Percentage 8
    2B05 Power
    2B06 Power Specification
    2B07 Relative Runtime in a Current Range
    2B08 Relative Runtime in a Generic Level Range
    2B09 Relative Value in a Voltage Range
    2B0A Relative Value in an Illuminance Range
    2B0B Relative Value in a Period of Day
    2B0C Relative Value in a Temperature Range
    2B0D Temperature 8
    2B0E Temperature 8 in a Period of Day
    2B0F Temperature 8 Statistics
    2B10 Temperature Range
    2B11 Temperature Statistics
    2B12 Time Decihour 8
    2B13 Time Exponential 8
    2B14 Time Hour 24
    2B15 Time Millisecond 24
    2B16 Time Second 16
    2B17 Time Second 8
    2B18 Voltage
    2B19 Voltage Specification
    2B1A Voltage Statistics
    2B1B Volume Flow
    2B1C Chromaticity Coordinate
    2B1D RC Feature
    2B1E RC Settings
    2B1F Reconnection Configuration Control Point
    2B20 IDD Status Changed
    2B21 IDD Status
    2B22 IDD Annunciation Status
    2B23 IDD Features
    2B24 IDD Status Reader Control Point
    2B25 IDD Command Control Point
    2B26 IDD Command Data
    2B27 IDD Record Access Control Point
    2B28 IDD History Data
    2B29 Client Supported Features
    2B2A Database Hash
    2B2B BSS Control Point
    2B2C BSS Response
    2B2D Emergency ID
    2B2E Emergency Text
    2B2F ACS Status
    2B30 ACS Data In
    2B31 ACS Data Out Notify
    2B32 ACS Data Out Indicate
    2B33 ACS Control Point
    2B34 Enhanced Blood Pressure Measurement
    2B35 Enhanced Intermediate Cuff Pressure
    2B36 Blood Pressure Record
    2B37 Registered User
    2B38 BR-EDR Handover Data
    2B39 Bluetooth SIG Data
    2B3A Server Supported Features
    2B3B Physical Activity Monitor Features
    2B3C General Activity Instantaneous Data
    2B3D General Activity Summary Data
    2B3E CardioRespiratory Activity Instantaneous Data
    2B3F CardioRespiratory Activity Summary Data
    2B40 Step Counter Activity Summary Data
    2B41 Sleep Activity Instantaneous Data
    2B42 Sleep Activity Summary Data
    2B43 Physical Activity Monitor Control Point
    2B44 Physical Activity Current Session
    2B45 Physical Activity Session Descriptor
    2B46 Preferred Units
    2B47 High Resolution Height
    2B48 Middle Name
    2B49 Stride Length
    2B4A Handedness
    2B4B Device Wearing Position
    2B4C Four Zone Heart Rate Limits
    2B4D High Intensity Exercise Threshold
    2B4E Activity Goal
    2B4F Sedentary Interval Notification
    2B50 Caloric Intake
    2B51 TMAP Role
    2B77 Audio Input State
    2B78 Gain Settings Attribute
    2B79 Audio Input Type
    2B7A Audio Input Status
    2B7B Audio Input Control Point
    2B7C Audio Input Description
    2B7D Volume State
    2B7E Volume Control Point
    2B7F Volume Flags
    2B80 Volume Offset State
    2B81 Audio Location
    2B82 Volume Offset Control Point
    2B83 Audio Output Description
    2B84 Set Identity Resolving Key
    2B85 Coordinated Set Size
    2B86 Set Member Lock
    2B87 Set Member Rank
    2B88 Encrypted Data Key Material
    2B89 Apparent Energy 32
    2B8A Apparent Power
    2B8B Live Health Observations
    2B8C CO₂ Concentration
    2B8D Cosine of the Angle
    2B8E Device Time Feature
    2B8F Device Time Parameters
    2B90 Device Time
    2B91 Device Time Control Point
    2B92 Time Change Log Data
    2B93 Media Player Name
    2B94 Media Player Icon Object ID
    2B95 Media Player Icon URL
    2B96 Track Changed
    2B97 Track Title
    2B98 Track Duration
    2B99 Track Position
    2B9A Playback Speed
    2B9B Seeking Speed
    2B9C Current Track Segments Object ID
    2B9D Current Track Object ID
    2B9E Next Track Object ID
    2B9F Parent Group Object ID
    2BA0 Current Group Object ID
    2BA1 Playing Order
    2BA2 Playing Orders Supported
    2BA3 Media State
    2BA4 Media Control Point
    2BA5 Media Control Point Opcodes Supported
    2BA6 Search Results Object ID
    2BA7 Search Control Point
    2BA8 Energy 32
    2BA9 Media Player Icon Object Type
    2BAA Track Segments Object Type
    2BAB Track Object Type
    2BAC Group Object Type
    2BAD Constant Tone Extension Enable
    2BAE Advertising Constant Tone Extension Minimum Length
    2BAF Advertising Constant Tone Extension Minimum Transmit Count
    2BB0 Advertising Constant Tone Extension Transmit Duration
    2BB1 Advertising Constant Tone Extension Interval
    2BB2 Advertising Constant Tone Extension PHY
    2BB3 Bearer Provider Name
    2BB4 Bearer UCI
    2BB5 Bearer Technology
    2BB6 Bearer URI Schemes Supported List
    2BB7 Bearer Signal Strength
    2BB8 Bearer Signal Strength Reporting Interval
    2BB9 Bearer List Current Calls
    2BBA Content Control ID
    2BBB Status Flags
    2BBC Incoming Call Target Bearer URI
    2BBD Call State
    2BBE Call Control Point
    2BBF Call Control Point Optional Opcodes
    2BC0 Termination Reason
    2BC1 Incoming Call
    2BC2 Call Friendly Name
    2BC3 Mute
    2BC4 Sink ASE
    2BC5 Source ASE
    2BC6 ASE Control Point
    2BC7 Broadcast Audio Scan Control Point
    2BC8 Broadcast Receive State
    2BC9 Sink PAC
    2BCA Sink Audio Locations
    2BCB Source PAC
    2BCC Source Audio Locations
    2BCD Available Audio Contexts
    2BCE Supported Audio Contexts
    2BCF Ammonia Concentration
    2BD0 Carbon Monoxide Concentration
    2BD1 Methane Concentration
    2BD2 Nitrogen Dioxide Concentration
    2BD3 Non-Methane Volatile Organic Compounds Concentration
    2BD4 Ozone Concentration
    2BD5 Particulate Matter - PM1 Concentration
    2BD6 Particulate Matter - PM2.5 Concentration
    2BD7 Particulate Matter - PM10 Concentration
    2BD8 Sulfur Dioxide Concentration
    2BD9 Sulfur Hexafluoride Concentration
    2BDA Hearing Aid Features
    2BDB Hearing Aid Preset Control Point
    2BDC Active Preset Index
    2BDD Stored Health Observations
    2BDE Fixed String 64
    2BDF High Temperature
    2BE0 High Voltage
    2BE1 Light Distribution
    2BE2 Light Output
    2BE3 Light Source Type
    2BE4 Noise
    2BE5 Relative Runtime in a Correlated Color Temperature Range
    2BE6 Time Second 32
    2BE7 VOC Concentration
    2BE8 Voltage Frequency
    2BE9 Battery Critical Status
    2BEA Battery Health Status
    2BEB Battery Health Information
    2BEC Battery Information
    2BED Battery Level Status
    2BEE Battery Time Status
    2BEF Estimated Service Date
    2BF0 Battery Energy Status
    2BF1 Observation Schedule Changed
    2BF2 Current Elapsed Time
    2BF3 Health Sensor Features
    2BF4 GHS Control Point
    2BF5 LE GATT Security Levels
    2BF6 ESL Address
    2BF7 AP Sync Key Material
    2BF8 ESL Response Key Material
    2BF9 ESL Current Absolute Time
    2BFA ESL Display Information
    2BFB ESL Image Information
    2BFC ESL Sensor Information
    2BFD ESL LED Information
    2BFE ESL Control Point
    2BFF UDI for Medical Devices
    2C00 GMAP Role
    2C01 UGG Features
    2C02 UGT Features
    2C03 BGS Features
    2C04 BGR Features
    """)
}
