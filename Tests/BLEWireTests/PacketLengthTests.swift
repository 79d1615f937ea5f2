import BLECore
import BLEWire
import Testing

/// The lengths that the Core Specification gives to the parameters of packets of fixed size, in octets: they reveal a field
/// that is missing, doubled or of the wrong width, which decoding encoded packets cannot.
@Suite struct PacketLengthTests {
  @Test("a packet of fixed size has the specified length and refuses any other", arguments: PacketRegistry.all)
  func aPacketOfFixedSizeHasTheSpecifiedLength(packet: PacketDescription) throws {
    guard let length = Self.lengths[packet.name] else {
      #expect(Self.variable.contains(packet.name) || Self.otherLayers.contains(packet.layer), "\(packet.name)")
      return
    }
    for example in packet.examples() {
      #expect(example.count == length)
      #expect(throws: DecodeError.self) { try packet.roundTrip(example + [0]) }
      if length > 0 { #expect(throws: DecodeError.self) { try packet.roundTrip(example.dropLast()) } }
    }
  }

  @Test("every length belongs to a packet")
  func everyLengthBelongsToAPacket() {
    let names = Set(PacketRegistry.all.map(\.name))
    #expect(Set(Self.lengths.keys).subtracting(names).isEmpty)
    #expect(Self.variable.subtracting(names).isEmpty)
  }

  /// Their packets have no fixed length.
  private static let otherLayers: Set<WireLayer> = [.hciData, .l2capFrame, .advertisingData, .linkLayer]

  private static let variable: Set<String> = [
    "HCI_Host_Number_Of_Completed_Packets", "HCI_LE_Set_Extended_Advertising_Data",
    "HCI_LE_Set_Extended_Scan_Response_Data", "HCI_LE_Set_Extended_Advertising_Enable",
    "HCI_LE_Set_Extended_Scan_Parameters", "HCI_LE_Extended_Create_Connection [v1]", "HCI_Command_Complete",
    "HCI_Number_Of_Completed_Packets", "HCI_LE_Advertising_Report", "HCI_LE_Directed_Advertising_Report",
    "HCI_LE_Extended_Advertising_Report", "L2CAP_COMMAND_REJECT_RSP", "L2CAP_CREDIT_BASED_CONNECTION_REQ",
    "L2CAP_CREDIT_BASED_CONNECTION_RSP", "L2CAP_CREDIT_BASED_RECONFIGURE_REQ", "ATT_FIND_INFORMATION_RSP",
    "ATT_FIND_BY_TYPE_VALUE_REQ", "ATT_FIND_BY_TYPE_VALUE_RSP", "ATT_READ_BY_TYPE_REQ", "ATT_READ_BY_TYPE_RSP",
    "ATT_READ_RSP", "ATT_READ_BLOB_RSP", "ATT_READ_MULTIPLE_REQ", "ATT_READ_MULTIPLE_RSP",
    "ATT_READ_BY_GROUP_TYPE_REQ", "ATT_READ_BY_GROUP_TYPE_RSP", "ATT_WRITE_REQ", "ATT_PREPARE_WRITE_REQ",
    "ATT_PREPARE_WRITE_RSP", "ATT_HANDLE_VALUE_NTF", "ATT_HANDLE_VALUE_IND", "ATT_READ_MULTIPLE_VARIABLE_REQ",
    "ATT_READ_MULTIPLE_VARIABLE_RSP", "ATT_MULTIPLE_HANDLE_VALUE_NTF", "ATT_WRITE_CMD", "ATT_SIGNED_WRITE_CMD",
  ]

  private static let lengths: [String: Int] = [
    // Commands (Core, Vol 4 Part E 7.1 to 7.5, 7.8).
    "HCI_Disconnect": 3, "HCI_Read_Remote_Version_Information": 2, "HCI_Set_Event_Mask": 8, "HCI_Reset": 0,
    "HCI_Read_Transmit_Power_Level": 3, "HCI_Set_Controller_To_Host_Flow_Control": 1, "HCI_Host_Buffer_Size": 7,
    "HCI_Set_Event_Mask_Page_2": 8, "HCI_Write_LE_Host_Support": 2, "HCI_Read_Authenticated_Payload_Timeout": 2,
    "HCI_Write_Authenticated_Payload_Timeout": 4, "HCI_Read_Local_Version_Information": 0,
    "HCI_Read_Local_Supported_Commands": 0, "HCI_Read_Local_Supported_Features": 0, "HCI_Read_Buffer_Size": 0,
    "HCI_Read_BD_ADDR": 0, "HCI_Read_RSSI": 2, "HCI_LE_Set_Event_Mask": 8, "HCI_LE_Read_Buffer_Size [v1]": 0,
    "HCI_LE_Read_Local_Supported_Features": 0, "HCI_LE_Set_Random_Address": 6,
    "HCI_LE_Set_Advertising_Parameters": 15, "HCI_LE_Read_Advertising_Physical_Channel_Tx_Power": 0,
    "HCI_LE_Set_Advertising_Data": 32, "HCI_LE_Set_Scan_Response_Data": 32, "HCI_LE_Set_Advertising_Enable": 1,
    "HCI_LE_Set_Scan_Parameters": 7, "HCI_LE_Set_Scan_Enable": 2, "HCI_LE_Create_Connection": 25,
    "HCI_LE_Create_Connection_Cancel": 0, "HCI_LE_Read_Filter_Accept_List_Size": 0,
    "HCI_LE_Clear_Filter_Accept_List": 0, "HCI_LE_Add_Device_To_Filter_Accept_List": 7,
    "HCI_LE_Remove_Device_From_Filter_Accept_List": 7, "HCI_LE_Connection_Update": 14,
    "HCI_LE_Set_Host_Channel_Classification": 5, "HCI_LE_Read_Channel_Map": 2, "HCI_LE_Read_Remote_Features": 2,
    "HCI_LE_Encrypt": 32, "HCI_LE_Rand": 0, "HCI_LE_Enable_Encryption": 28, "HCI_LE_Long_Term_Key_Request_Reply": 18,
    "HCI_LE_Long_Term_Key_Request_Negative_Reply": 2, "HCI_LE_Read_Supported_States": 0,
    "HCI_LE_Remote_Connection_Parameter_Request_Reply": 14,
    "HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply": 3, "HCI_LE_Set_Data_Length": 6,
    "HCI_LE_Read_Suggested_Default_Data_Length": 0, "HCI_LE_Write_Suggested_Default_Data_Length": 4,
    "HCI_LE_Read_Local_P-256_Public_Key": 0, "HCI_LE_Generate_DHKey [v1]": 64,
    "HCI_LE_Add_Device_To_Resolving_List": 39, "HCI_LE_Remove_Device_From_Resolving_List": 7,
    "HCI_LE_Clear_Resolving_List": 0, "HCI_LE_Read_Resolving_List_Size": 0, "HCI_LE_Read_Peer_Resolvable_Address": 7,
    "HCI_LE_Read_Local_Resolvable_Address": 7, "HCI_LE_Set_Address_Resolution_Enable": 1,
    "HCI_LE_Set_Resolvable_Private_Address_Timeout [v1]": 2, "HCI_LE_Read_Maximum_Data_Length": 0,
    "HCI_LE_Read_PHY": 2, "HCI_LE_Set_Default_PHY": 3, "HCI_LE_Set_PHY": 7,
    "HCI_LE_Set_Advertising_Set_Random_Address": 7, "HCI_LE_Set_Extended_Advertising_Parameters [v1]": 25,
    "HCI_LE_Read_Maximum_Advertising_Data_Length": 0, "HCI_LE_Read_Number_of_Supported_Advertising_Sets": 0,
    "HCI_LE_Remove_Advertising_Set": 1, "HCI_LE_Clear_Advertising_Sets": 0, "HCI_LE_Set_Extended_Scan_Enable": 6,
    "HCI_LE_Read_Transmit_Power": 0, "HCI_LE_Read_RF_Path_Compensation": 0, "HCI_LE_Write_RF_Path_Compensation": 4,
    "HCI_LE_Set_Privacy_Mode": 8, "HCI_LE_Generate_DHKey [v2]": 65, "HCI_LE_Read_Buffer_Size [v2]": 0,
    "HCI_LE_Set_Host_Feature [v1]": 2, "HCI_LE_Enhanced_Read_Transmit_Power_Level": 3,

    // Return parameters, with the status.
    "Status": 1, "HCI_Read_Transmit_Power_Level return parameters": 4,
    "HCI_Read_Authenticated_Payload_Timeout return parameters": 5,
    "HCI_Write_Authenticated_Payload_Timeout return parameters": 3,
    "HCI_Read_Local_Version_Information return parameters": 9,
    "HCI_Read_Local_Supported_Commands return parameters": 65,
    "HCI_Read_Local_Supported_Features return parameters": 9, "HCI_Read_Buffer_Size return parameters": 8,
    "HCI_Read_BD_ADDR return parameters": 7, "HCI_Read_RSSI return parameters": 4,
    "HCI_LE_Read_Buffer_Size [v1] return parameters": 4, "HCI_LE_Read_Local_Supported_Features return parameters": 9,
    "HCI_LE_Read_Advertising_Physical_Channel_Tx_Power return parameters": 2,
    "HCI_LE_Read_Filter_Accept_List_Size return parameters": 2, "HCI_LE_Read_Channel_Map return parameters": 8,
    "HCI_LE_Encrypt return parameters": 17, "HCI_LE_Rand return parameters": 9,
    "HCI_LE_Long_Term_Key_Request_Reply return parameters": 3,
    "HCI_LE_Long_Term_Key_Request_Negative_Reply return parameters": 3,
    "HCI_LE_Read_Supported_States return parameters": 9,
    "HCI_LE_Remote_Connection_Parameter_Request_Reply return parameters": 3,
    "HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply return parameters": 3,
    "HCI_LE_Set_Data_Length return parameters": 3, "HCI_LE_Read_Suggested_Default_Data_Length return parameters": 5,
    "HCI_LE_Read_Resolving_List_Size return parameters": 2,
    "HCI_LE_Read_Peer_Resolvable_Address return parameters": 7,
    "HCI_LE_Read_Local_Resolvable_Address return parameters": 7, "HCI_LE_Read_Maximum_Data_Length return parameters": 9,
    "HCI_LE_Read_PHY return parameters": 5, "HCI_LE_Set_Extended_Advertising_Parameters [v1] return parameters": 2,
    "HCI_LE_Read_Maximum_Advertising_Data_Length return parameters": 3,
    "HCI_LE_Read_Number_of_Supported_Advertising_Sets return parameters": 2,
    "HCI_LE_Read_Transmit_Power return parameters": 3, "HCI_LE_Read_RF_Path_Compensation return parameters": 5,
    "HCI_LE_Read_Buffer_Size [v2] return parameters": 7,
    "HCI_LE_Enhanced_Read_Transmit_Power_Level return parameters": 6,

    // Events, without the subevent code (Core, Vol 4 Part E 7.7).
    "HCI_Disconnection_Complete": 4, "HCI_Encryption_Change [v1]": 4, "HCI_Encryption_Change [v2]": 5,
    "HCI_Read_Remote_Version_Information_Complete": 8, "HCI_Command_Status": 4, "HCI_Hardware_Error": 1,
    "HCI_Data_Buffer_Overflow": 1, "HCI_Encryption_Key_Refresh_Complete": 3,
    "HCI_Authenticated_Payload_Timeout_Expired": 2, "HCI_LE_Connection_Complete": 18,
    "HCI_LE_Connection_Update_Complete": 9, "HCI_LE_Read_Remote_Features_Complete": 11,
    "HCI_LE_Long_Term_Key_Request": 12, "HCI_LE_Remote_Connection_Parameter_Request": 10,
    "HCI_LE_Data_Length_Change": 10, "HCI_LE_Read_Local_P-256_Public_Key_Complete": 65,
    "HCI_LE_Generate_DHKey_Complete": 33, "HCI_LE_Enhanced_Connection_Complete [v1]": 30,
    "HCI_LE_PHY_Update_Complete": 5, "HCI_LE_Scan_Timeout": 0, "HCI_LE_Advertising_Set_Terminated": 5,
    "HCI_LE_Scan_Request_Received": 8, "HCI_LE_Channel_Selection_Algorithm": 3,
    "HCI_LE_Transmit_Power_Reporting": 8, "HCI_LE_Enhanced_Connection_Complete [v2]": 33,

    // Control PDUs, without the opcode (Core, Vol 6 Part B 2.4.2).
    "LL_CONNECTION_UPDATE_IND": 11, "LL_CHANNEL_MAP_IND": 7, "LL_TERMINATE_IND": 1, "LL_ENC_REQ": 22,
    "LL_ENC_RSP": 12, "LL_START_ENC_REQ": 0, "LL_START_ENC_RSP": 0, "LL_UNKNOWN_RSP": 1, "LL_FEATURE_REQ": 8,
    "LL_FEATURE_RSP": 8, "LL_PAUSE_ENC_REQ": 0, "LL_PAUSE_ENC_RSP": 0, "LL_VERSION_IND": 5, "LL_REJECT_IND": 1,
    "LL_PERIPHERAL_FEATURE_REQ": 8, "LL_CONNECTION_PARAM_REQ": 23, "LL_CONNECTION_PARAM_RSP": 23,
    "LL_REJECT_EXT_IND": 2, "LL_PING_REQ": 0, "LL_PING_RSP": 0, "LL_LENGTH_REQ": 8, "LL_LENGTH_RSP": 8,
    "LL_PHY_REQ": 2, "LL_PHY_RSP": 2, "LL_PHY_UPDATE_IND": 4, "LL_MIN_USED_CHANNELS_IND": 2, "LL_CTE_REQ": 1,
    "LL_CTE_RSP": 0, "LL_PERIODIC_SYNC_IND": 34, "LL_CLOCK_ACCURACY_REQ": 1, "LL_CLOCK_ACCURACY_RSP": 1,
    "LL_CIS_REQ": 35, "LL_CIS_RSP": 8, "LL_CIS_IND": 15, "LL_CIS_TERMINATE_IND": 3, "LL_POWER_CONTROL_REQ": 3,
    "LL_POWER_CONTROL_RSP": 4, "LL_POWER_CHANGE_IND": 4, "LL_SUBRATE_REQ": 10, "LL_SUBRATE_IND": 10,
    "LL_CHANNEL_REPORTING_IND": 3, "LL_CHANNEL_STATUS_IND": 10, "LL_FEATURE_EXT_REQ": 26, "LL_FEATURE_EXT_RSP": 26,

    // Signaling commands, ATT PDUs and SMP commands, without header, opcode or code (Core, Vol 3 Parts A, F and H).
    "L2CAP_DISCONNECTION_REQ": 4, "L2CAP_DISCONNECTION_RSP": 4, "L2CAP_CONNECTION_PARAMETER_UPDATE_REQ": 8,
    "L2CAP_CONNECTION_PARAMETER_UPDATE_RSP": 2, "L2CAP_LE_CREDIT_BASED_CONNECTION_REQ": 10,
    "L2CAP_LE_CREDIT_BASED_CONNECTION_RSP": 10, "L2CAP_FLOW_CONTROL_CREDIT_IND": 4,
    "L2CAP_CREDIT_BASED_RECONFIGURE_RSP": 2, "ATT_ERROR_RSP": 4, "ATT_EXCHANGE_MTU_REQ": 2, "ATT_EXCHANGE_MTU_RSP": 2,
    "ATT_FIND_INFORMATION_REQ": 4, "ATT_READ_REQ": 2, "ATT_READ_BLOB_REQ": 4, "ATT_WRITE_RSP": 0,
    "ATT_EXECUTE_WRITE_REQ": 1, "ATT_EXECUTE_WRITE_RSP": 0, "ATT_HANDLE_VALUE_CFM": 0, "SMP Pairing Request": 6,
    "SMP Pairing Response": 6, "SMP Pairing Confirm": 16, "SMP Pairing Random": 16, "SMP Pairing Failed": 1,
    "SMP Encryption Information": 16, "SMP Central Identification": 10, "SMP Identity Information": 16,
    "SMP Identity Address Information": 7, "SMP Signing Information": 16, "SMP Security Request": 1,
    "SMP Pairing Public Key": 64, "SMP Pairing DHKey Check": 16, "SMP Pairing Keypress Notification": 1,
  ]
}
